import type { Api, Body } from './api.ts'

export interface Account {
  readonly uid: string
  readonly token: string
  /** The response of the TokenRequest. */
  readonly answer: Body
}

/** A service account with a token: an ordinary user on every server. */
export async function account(
  api: Api,
  namespace: string,
  name: string,
  spec: object = {},
): Promise<Account> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`
  const made = await api.post(path, { metadata: { name } })
  const requested = { expirationSeconds: 600, ...spec }
  const { body } = await api.post(`${path}/${name}/token`, { spec: requested })
  const token = (body.status as { token?: string }).token
  if (token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`)
  return { uid: made.body.metadata.uid ?? '', token, answer: body }
}
