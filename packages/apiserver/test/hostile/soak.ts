import { randomBytes } from 'node:crypto'
import { HostileServer } from './hostile-server.ts'

/**
 * Sends many different requests to a server in this process (node --expose-gc soak.ts <requests>), and prints the
 * heap size after a garbage collection at every tenth of them.
 */
const total = Number(process.argv[2])
const { gc } = globalThis
if (!gc) throw new Error('run with --expose-gc')

const configMaps = '/api/v1/namespaces/default/configmaps'
const jsonPatch = { 'content-type': 'application/json-patch+json' }
const unique = (): string => randomBytes(12).toString('hex')

await using server = await HostileServer.start()
const kept = '{"metadata":{"name":"kept"},"data":{"a":"1"}}'
await server.send({ method: 'POST', path: configMaps, body: kept })

const nonsense: readonly (() => Promise<unknown>)[] = [
  () => server.send({ path: `/api/v1/nodes/${unique()}` }),
  () => server.send({ path: `/apis/${unique()}/v1/${unique()}` }),
  () => server.send({ path: `/${unique()}` }),
  () => server.send({ path: configMaps, token: unique() }),
  () => server.send({ path: configMaps, headers: { 'impersonate-user': unique() } }),
  () => server.send({ path: configMaps, headers: { 'user-agent': unique(), accept: unique() } }),
  () => server.send({ path: `${configMaps}?labelSelector=${unique()}&continue=${unique()}` }),
  () => server.send({ path: `${configMaps}?watch=1&resourceVersion=${unique()}` }),
  () => server.send({ method: 'POST', path: configMaps, body: randomBytes(20_000) }),
  () => server.send({ method: 'POST', path: configMaps, body: `{"${unique()}":` }),
  () => server.send({ method: 'POST', path: `/api/v1/namespaces/${unique()}/pods`, body: '{}' }),
  () =>
    server.send({ method: 'PUT', path: `${configMaps}/kept`, body: `{"data":["${unique()}"]}` }),
  () =>
    server.send({
      method: 'PATCH',
      path: `${configMaps}/kept`,
      headers: jsonPatch,
      body: `[{"op":"test","path":"/data/${unique()}","value":"x"}]`,
    }),
]

const heaps: number[] = []
for (let done = 0; done < total; done++) {
  await nonsense[done % nonsense.length]!()
  if (done < (heaps.length * total) / 10) continue
  gc()
  heaps.push(process.memoryUsage().heapUsed)
}
process.stdout.write(JSON.stringify({ heaps, log: server.log.length }))
