import { expect, it } from 'vitest'
import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { openAccess } from '../access/access.ts'
import { PreparedConfig } from '../prepared/prepared-config.ts'
import { Connections } from './connections.ts'
import { httpLimits } from './limits.ts'
import { listen } from './listener.ts'
import { ServerReport } from './server-report.ts'

const body = '{"ignition":{"version":"3.5.0"}}'
const empty = new PreparedConfig({
  type: 'config',
  name: 'rendered-master-1',
  version: '3.5',
  body,
})
const clock = systemClock
const log = silentLogger
const report = new ServerReport(log, clock, new Metrics())
const parts = {
  clock,
  log,
  report,
  access: openAccess,
  limits: httpLimits,
  connections: new Connections(10, () => {}),
  configs: { find: () => empty, age: () => 0, notReady: () => undefined },
}

it.each([
  ['GET', 200, '32', body],
  ['HEAD', 200, '32', ''],
])('%s of an empty config has its length', async (method, code, length, text) => {
  const listener = await listen(parts, { host: '127.0.0.1', port: 0 })
  const response = await fetch(`${listener.url}/config/master`, {
    method,
    headers: { 'accept-encoding': 'identity' },
  })
  expect(response.status).toBe(code)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('content-length')).toBe(length)
  expect(await response.text()).toBe(text)
  await listener.stop()
})

it('an address in use is reported', async () => {
  const first = await listen(parts, { host: '127.0.0.1', port: 0 })
  const port = Number(new URL(first.url).port)
  await expect(listen(parts, { host: '127.0.0.1', port })).rejects.toThrow(
    `cannot listen at 127.0.0.1:${port}: `,
  )
  await first.stop()
})
