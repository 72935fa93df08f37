import { createLogger } from '@machinist/core/log'
import { Metrics } from '@machinist/core/metrics'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import type { KubeClient } from '@machinist/kube/client/client'
import { Recorder } from '@machinist/kube/events/recorder'
import { runUntil } from '@machinist/testing/until'
import type { Access, AccessDecision } from '../../../../src/server/access/access.ts'
import { tokenAccess } from '../../../../src/server/access/token-access.ts'

export const allowed = 'allowed'

/** One server process. Its clock is virtual, so that windows and limits need no waiting. */
export class RunningAccess {
  readonly clock: VirtualClock
  readonly metrics = new Metrics()
  readonly events: Recorder
  readonly access: Access
  readonly instance: string
  logged = ''
  readonly #stop = new AbortController()
  readonly #stopped: Promise<void>
  readonly synced: Promise<boolean>

  constructor(client: KubeClient, seed: number, clock = new VirtualClock()) {
    this.clock = clock
    const instance = `server-${seed}`
    this.instance = instance
    const { metrics } = this
    const log = createLogger({ clock, write: (line) => void (this.logged += line) })
    const tools = { client, clock, random: seededRandom(seed), log, metrics }
    this.events = new Recorder({ ...tools, api: client, component: 'server', instance })
    const context = { ...tools, events: this.events }
    const poolOf = (name: string) =>
      name === 'worker' ? { kind: 'MachineConfigPool', name } : undefined
    const { access, informer } = tokenAccess(context, poolOf)
    this.access = access
    this.synced = informer.synced()
    this.#stopped = informer.start(this.#stop.signal)
  }

  /** Asks for the config of a pool: allowed, or the status and reason of the refusal. */
  async ask(token: string | undefined, address = '10.0.0.5', pool = 'worker'): Promise<string> {
    const authorization = token === undefined ? undefined : `Bearer ${token}`
    const request = { pool, address, authorization, now: this.clock.now() }
    let decision: AccessDecision | undefined
    const asked = Promise.resolve(this.access(request)).then((made) => (decision = made))
    await runUntil(this.clock, 'there is a decision', () => decision !== undefined, 20)
    await asked
    return decision!.type === 'allowed' ? allowed : `${decision!.status} ${decision!.reason}`
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#stopped
    await this.events.close()
  }
}
