import { until } from '@machinist/testing/until'
import type { HttpsCalls } from './https-calls.ts'
import type { Collection } from './writer.ts'

export const configMaps: Collection = {
  path: '/api/v1/namespaces/default/configmaps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
}

export const crashWidgets: Collection = {
  path: '/apis/crash.example/v1/namespaces/default/widgets',
  apiVersion: 'crash.example/v1',
  kind: 'Widget',
}

/** Objects that the writers need: a custom kind and a counter. */
export async function prepare(calls: HttpsCalls): Promise<void> {
  await calls.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  await until('the custom kind is served', async () => {
    const { statusCode = 0 } = (await calls.open('GET', crashWidgets.path)).resume()
    return statusCode === 200
  })
  await calls.call('POST', configMaps.path, { metadata: { name: 'counter' }, data: { count: '0' } })
  const account = { metadata: { name: 'crash' } }
  await calls.call('POST', '/api/v1/namespaces/default/serviceaccounts', account)
}

/** A token that must remain valid after every crash. */
export async function accountToken(calls: HttpsCalls): Promise<string> {
  const path = '/api/v1/namespaces/default/serviceaccounts/crash/token'
  const { body } = await calls.call('POST', path, { spec: {} })
  return (body.status as { token: string }).token
}

export async function whoIs(calls: HttpsCalls): Promise<string | undefined> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const { body } = await calls.call('POST', path, {})
  calls.close()
  return (body.status as { userInfo?: { username: string } } | undefined)?.userInfo?.username
}

const definition = {
  metadata: { name: 'widgets.crash.example' },
  spec: {
    group: 'crash.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              data: { type: 'object', additionalProperties: { type: 'string' } },
            },
          },
        },
      },
    ],
  },
}
