import { systemClock } from '@machinist/core/clock'
import { silentLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { systemRandom } from '@machinist/core/random'
import { clientFrom } from '@machinist/testing/clusters/real-client'
import { LeaseElection } from '../src/leases/lease-election.ts'

/**
 * A candidate as a process: candidate.ts <kubeconfig> <namespace> <identity> <leaseMs>. Prints `leads` when it is elected
 * and `stops` when its work stops; exits gracefully on SIGTERM.
 */
const [kubeconfig = '', namespace = '', identity = '', leaseMs = '0'] = process.argv.slice(2)
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())

const election = new LeaseElection({
  api: await clientFrom(kubeconfig),
  lease: { namespace, name: 'contested' },
  identity,
  timing: { leaseMs: Number(leaseMs), renewMs: (Number(leaseMs) * 2) / 3, retryMs: 200 },
  clock: systemClock,
  random: systemRandom,
  log: silentLogger,
  metrics: new Metrics(),
})

// The clock does not keep the process alive.
const alive = setInterval(() => {}, 1000)
await election.lead(stop.signal, async (term) => {
  process.stdout.write('leads\n')
  await new Promise((resolve) => term.addEventListener('abort', resolve, { once: true }))
  process.stdout.write('stops\n')
})
clearInterval(alive)
