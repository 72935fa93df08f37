import { afterAll, beforeAll, expect, it } from 'vitest'
import type { KubeClient } from '@machinist/kube/client/client'
import type { RunningServer } from '@machinist/apiserver/running-server.fixture'
import { startServer } from '@machinist/apiserver/running-server.fixture'
import { controllerConfigs } from '../../../../src/api/kinds/resources.ts'
import type { ControllerConfigChange } from '../../../../src/operator/inputs/write-controller-config.ts'
import { writeControllerConfig } from '../../../../src/operator/inputs/write-controller-config.ts'
import { installDefinitions } from '../../../../src/api/definitions/definitions.fixture.ts'

let server: RunningServer
let client: KubeClient
beforeAll(async () => {
  server = await startServer()
  client = server.client
  await installDefinitions(client)
})
afterAll(() => server[Symbol.asyncDispose]())

const { signal } = new AbortController()
const key = { name: 'machine-config-controller' }
const change = (
  spec: ControllerConfigChange['spec'],
  annotations: ControllerConfigChange['annotations'] = {},
): ControllerConfigChange => ({ spec, annotations })

it('two concurrent first writers both write their fields', async () => {
  await Promise.all([
    writeControllerConfig(client, undefined, change({ clusterDNSIP: '10.0.0.10' }), signal),
    writeControllerConfig(client, undefined, change({ rootCAData: 'YQ==' }, { a: 'b' }), signal),
  ])
  const { spec, metadata } = await client.get(controllerConfigs, key)
  expect(spec).toMatchObject({ clusterDNSIP: '10.0.0.10', rootCAData: 'YQ==', proxy: null })
  expect(metadata.annotations).toEqual({ a: 'b' })
})

it('a write starts from the newest object, and happens only if something differs', async () => {
  const old = await client.get(controllerConfigs, key)
  const desired = change(
    { networkType: 'OVNKubernetes', rootCAData: null },
    { a: undefined, c: 'd' },
  )
  const written = await writeControllerConfig(client, old, desired, signal)
  expect(written.spec).toMatchObject({ networkType: 'OVNKubernetes', rootCAData: null })
  expect(written.metadata.annotations).toEqual({ c: 'd' })

  // With a stale cache: the fields of other writers stay.
  await writeControllerConfig(client, old, change({ clusterDNSIP: '10.0.0.11' }), signal)
  const now = await client.get(controllerConfigs, key)
  expect(now.spec).toEqual({ ...written.spec, clusterDNSIP: '10.0.0.11' })

  const again = change({ clusterDNSIP: '10.0.0.11' }, { c: 'd' })
  await writeControllerConfig(client, now, again, signal)
  await writeControllerConfig(client, old, again, signal)
  const { metadata } = await client.get(controllerConfigs, key)
  expect(metadata.resourceVersion).toBe(now.metadata.resourceVersion)

  const bare = change({ networkType: undefined }, { c: undefined })
  const cleared = await writeControllerConfig(client, now, bare, signal)
  expect(cleared.spec).not.toHaveProperty('networkType')
  expect(cleared.metadata.annotations).toBeUndefined()
})
