import { between } from '@machinist/core/random'
import type { Transport } from '@machinist/kube/transport'
import { runSigner } from '../../../src/signer/run-signer.ts'
import { Accidents } from '../accidents.ts'
import { Cluster } from '../cluster.ts'
import { controllerProcess } from '../control-plane.ts'
import { LedProcess } from '../led-process.ts'
import { Restores } from '../restores.ts'
import { checkClaims } from './checks/claims.ts'
import { unseenPools, unsettled } from './checks/end-state.ts'
import { heldUpProblems } from './checks/held-up.ts'
import { HoldingsCheck } from './checks/holdings.ts'
import { PrivateKeysCheck } from './checks/private-keys.ts'
import { RestartsCheck } from './checks/restarts.ts'
import { worldChance } from './chance.ts'
import { config, givenTo, install, renderedConfig, templates } from './installation.ts'
import { LongTimes } from './long-times.ts'
import { trustLoops, wholeOperator } from './operator-loops.ts'
import type { Rotation } from './rotations.ts'
import { kubeletRotation, servingRotation } from './rotations.ts'
import type { Scene } from './scene.ts'
import { Reader } from './seen-certificates.ts'
import { TrustNode } from './trust-node.ts'
import { TrustUsers } from './trust-users.ts'

export interface TrustWorldOptions {
  /** Decides everything. Every twentieth world is a big one, the others are small, so that there can be many. */
  readonly seed: number
  /** How many of the last steps are told when something is wrong. */
  readonly keep?: number
  /** Something between one of ours and the API, to see whether the checks notice. */
  readonly tamper?: (who: 'signer' | 'operator' | 'daemon', transport: Transport) => Transport
}

export interface TrustResult {
  readonly seed: number
  readonly violations: readonly string[]
  readonly digest: string
  /** Virtual time until everything was at rest. */
  readonly days: number
  /** CAs that were made, and certificates that were signed. */
  readonly authorities: number
  readonly issued: number
  readonly log: readonly string[]
}

const minute = 60_000
/** Who can be reached for so long, while operator and signer work, has whatever is in use. */
const excusedMs = 30 * minute
/** More than the slowest way to peace takes. */
const longestPeaceMs = 4 * 60 * minute

/** Runs one world of trust to its end. */
export async function simulateTrust(options: TrustWorldOptions): Promise<TrustResult> {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const world = new TrustWorld(options)
    await world.begin()
    await world.chaos()
    await world.restored()
    await world.held()
    await world.peace()
    world.end()
    return world.result()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

class TrustWorld {
  readonly #cluster: Cluster
  readonly #scene: Scene
  readonly #nodes = new Map<string, TrustNode>()
  readonly #rotations: Rotation[]
  readonly #signers: LedProcess[]
  readonly #operator: LedProcess
  readonly #users: TrustUsers
  readonly #accidents: Accidents
  readonly #longTimes: LongTimes
  readonly #restores: Restores
  readonly #holdings: HoldingsCheck
  readonly #restarts: RestartsCheck
  readonly #isBig: boolean
  /** Certificates come with MachineConfigs, as up to 4.12. */
  readonly #isRendered: boolean
  /** All loops of the operator run. */
  readonly #isWhole: boolean
  readonly #controllers: LedProcess[]
  readonly #tamper: TrustWorldOptions['tamper']
  #late = 0
  readonly #made = { authorities: 0, issued: 0 }

  constructor({ seed, keep, tamper }: TrustWorldOptions) {
    const cluster = new Cluster(seed, keep)
    const { random } = cluster
    this.#isBig = seed % 20 === 0
    this.#isRendered = seed % 50 === 30
    this.#isWhole = this.#isRendered || seed % 40 === 0
    this.#cluster = cluster
    this.#tamper = tamper
    const ms = random.next() < 0.8 ? 30_000 : 120_000
    const settle = { ms, isOfOldCluster: random.next() < 0.2 }
    this.#rotations = [
      kubeletRotation(settle, this.#isBig || random.next() < 0.2),
      ...(random.next() < (this.#isBig ? 0.6 : 0.15) && !this.#isRendered
        ? [servingRotation(settle)]
        : []),
    ]
    const scene = { cluster, reader: new Reader(), nodes: this.#nodes, rotations: this.#rotations }
    this.#scene = scene
    this.#holdings = new HoldingsCheck(scene)
    this.#restarts = new RestartsCheck(scene)
    const keys = new PrivateKeysCheck(scene)
    cluster.api.follow((change) => {
      this.#holdings.look(change)
      keys.look(change)
      checkClaims(scene, this.#holdings, change)
      this.#count(change.actor, change.resource, change.object.metadata.name)
    })
    cluster.api.whenTold = (event) => keys.said(JSON.stringify(event), () => 'an event')
    cluster.trace.listen((who, text) => keys.said(text, () => `the log of ${who}`))
    this.#signers = this.#makeSigners()
    this.#operator = new LedProcess({
      cluster,
      name: 'operator',
      actor: 'operator',
      run: this.#isWhole ? wholeOperator : trustLoops,
      ...(tamper && { tamper: (transport: Transport) => tamper('operator', transport) }),
    })
    this.#controllers = this.#isRendered
      ? [controllerProcess('controllers-1', cluster, undefined, templates)]
      : []
    const processes = [...this.#signers, this.#operator, ...this.#controllers]
    this.#users = new TrustUsers(scene)
    this.#longTimes = new LongTimes(scene, processes)
    const nodes = {
      values: () => [...this.#nodes.values()].map(({ simulated }) => simulated).values(),
    }
    this.#accidents = new Accidents({ cluster, nodes, controllers: processes })
    const parts = [this.#users, this.#holdings, this.#restarts]
    this.#restores = new Restores({ cluster, nodes, controllers: processes, parts, ahead: 0.5 })
  }

  /** A cluster at rest. */
  async begin(): Promise<void> {
    const { random, clock } = this.#cluster
    install(this.#cluster, this.#rotations, {
      isRendered: this.#isRendered,
      isWhole: this.#isWhole,
    })
    for (const signer of this.#signers) signer.start()
    for (const process of [this.#operator, ...this.#controllers]) process.start()
    const isGiven = (): boolean =>
      this.#rotations.every(({ spec }) => givenTo(this.#cluster, spec.trustedBy!) !== '') &&
      (!this.#isRendered || renderedConfig(this.#cluster) !== undefined)
    await this.#until(5 * minute, isGiven)
    if (!isGiven()) {
      return this.#cluster.violated('what is trusted is published', 'it is not')
    }
    const workers = this.#isBig ? between(random, 2, 4) : random.next() < 0.6 ? 2 : 1
    const hasServing = this.#rotations.length > 1
    const masters = hasServing ? (this.#isBig ? 3 : 2) : 0
    for (let i = 1; i <= masters; i++) await this.#join(`master-${i}`)
    for (let i = 1; i <= workers - (masters > 0 && !this.#isBig ? 1 : 0); i++) {
      await this.#join(`worker-${i}`)
    }
    await clock.advance(20_000)
    this.#holdings.begun()
  }

  /** People and accidents, all at once. */
  async chaos(): Promise<void> {
    const { random, clock } = this.#cluster
    const deeds = this.#isBig ? between(random, 4, 10) : between(random, 1, 3)
    this.#users.rotate()
    await this.#disturb(deeds)
    await clock.advance(between(random, 1, 60) * 1000)
  }

  /** In every seventh world the API is restored to an older state. */
  async restored(): Promise<void> {
    const { seed, clock } = this.#cluster
    if (this.#isBroken || seed % 7 !== 2) return
    const { random } = this.#restores
    this.#restores.backup()
    if (random.next() < 0.6) this.#users.rotate()
    await this.#disturb(between(random, 0, 3))
    await clock.advance(this.#restores.whileMs())
    if (this.#isBroken) return
    this.#restores.restore()
    await this.#disturb(between(random, 0, 2))
    await clock.advance(between(random, 1, 60) * 1000)
  }

  async #disturb(deeds: number): Promise<void> {
    const { random, clock, trace } = this.#cluster
    for (let i = 0; i < deeds && !this.#isBroken; i++) {
      // Now and then long enough for an old CA to go.
      const seconds = random.next() < 0.2 ? between(random, 60, 420) : between(random, 1, 60)
      await clock.advance(seconds * 1000)
      const [name, deed] = this.#deed()
      trace.note('FATE', name)
      await deed()
    }
  }

  /** In some worlds: all is well, but one node is away, and a rotation has to wait for it and say so. */
  async held(): Promise<void> {
    const { random, clock, trace, weather } = this.#cluster
    if (this.#isBroken || this.#isRendered || random.next() > 0.12) return
    this.#mend()
    await this.#until(longestPeaceMs, () => this.#unsettled().length === 0)
    if (this.#isBroken || this.#unsettled().length > 0) return
    const rotation = this.#rotations[between(random, 0, this.#rotations.length - 1)]!
    const all = [...this.#nodes.values()]
    const node = all[between(random, 0, all.length - 1)]!
    trace.note('FATE', `${rotation.name} has to wait for ${node.name}`)
    const isOff = random.next() < 0.5
    if (isOff) node.simulated.powerOff()
    else weather.cutOff(node.name)
    node.simulated.heartbeat()
    this.#users.rotate(rotation)
    const problems = (): string[] =>
      heldUpProblems(this.#scene, this.#holdings.leafs, rotation, node)
    // Kubelets are restarted one after the other, and each is given some time.
    await this.#until(20 * minute, () => problems().length === 0)
    // It stays so.
    await clock.advance(between(random, 1, 20) * minute)
    if (this.#isBroken) return
    if (problems().length > 0) {
      this.#cluster.violated('a rotation held up says by whom', problems().join('; '))
    }
    if (isOff) node.simulated.powerOn()
    else weather.mend(node.name)
    node.simulated.heartbeat()
  }

  /** Everything is mended; now everything has to come to rest. */
  async peace(): Promise<void> {
    const { clock, trace } = this.#cluster
    trace.note('FATE', 'peace')
    this.#mend()
    await this.#until(excusedMs, () => this.#unsettled().length === 0)
    const lacking = this.#holdings.everyNodeHolds()
    if (lacking.length > 0) {
      this.#cluster.violated('nodes that were excused have what they lacked', lacking.join('; '))
    }
    await this.#until(longestPeaceMs, () => this.#unsettled().length === 0)
    if (this.#isBroken) return
    const problems = this.#unsettled()
    if (problems.length > 0) {
      return this.#cluster.violated('every rotation comes to its end', problems.join('; '))
    }
    if (this.#cluster.random.next() < 0.8) return
    // A daemon that was cut off notices its dead watch after 2.5 minutes.
    await clock.advance(4 * minute)
    // What changed just before peace was not seen by everybody yet: a Node that was made again, for example.
    await this.#until(longestPeaceMs, () => this.#unsettled().length === 0)
    await this.#atRest(() => clock.advance(5 * minute))
  }

  end(): void {
    for (const { simulated } of this.#nodes.values()) simulated.end()
    for (const process of [...this.#signers, this.#operator, ...this.#controllers]) process.off()
  }

  result(): TrustResult {
    const { seed, violations, trace, clock } = this.#cluster
    return {
      seed,
      violations,
      digest: trace.digest,
      days: Math.round(clock.elapsed() / minute / 144) / 10,
      ...this.#made,
      log: violations.length > 0 ? trace.last() : [],
    }
  }

  #unsettled(): string[] {
    return [...unsettled(this.#scene), ...(this.#isRendered ? unseenPools(this.#scene) : [])]
  }

  #mend(): void {
    this.#accidents.heal()
    this.#users.makePeace()
    if (this.#isRendered) this.#users.pause(false)
  }

  get #isBroken(): boolean {
    return this.#cluster.violations.length > 0
  }

  #deed(): readonly [string, () => void | Promise<void>] {
    const users = this.#users
    const accidents = this.#accidents
    const deeds: Readonly<Record<string, () => void | Promise<void>>> = {
      rotate: () => users.rotate(),
      rotateBack: () => users.rotateBack(),
      annotate: () => users.annotate(),
      annotateAgain: () => users.annotate(),
      deleteSomething: () => users.deleteSomething(),
      deleteSomethingElse: () => users.deleteSomething(),
      corrupt: () => users.corrupt(),
      breakOtherInput: () => users.breakOtherInput(),
      pause: () => users.pause(),
      override: () => users.override(),
      changeSpec: () => users.changeSpec(),
      ...(!this.#isRendered && {
        recreateNode: () => users.recreateNode(),
        joinLate: () => this.#join(`late-${++this.#late}`),
      }),
      storm: () => accidents.storm(),
      cutOffNode: () => accidents.cutOffNode(),
      cutOffProcess: () => accidents.cutOffController(),
      powerCut: () => accidents.powerCut(),
      killDaemon: () => accidents.killDaemon(),
      killDaemonAgain: () => accidents.killDaemon(),
      killProcess: () => accidents.killController(),
      killProcessAgain: () => accidents.killController(),
      killProcessOnceMore: () => accidents.killController(),
      restartProcess: () => accidents.restartController(),
      freeze: () => accidents.freeze(),
      skewClock: () => this.#skewClock(),
      breakDisk: () => accidents.breakDisk(),
      forgetHistory: () => accidents.forgetHistory(),
      nodeAway: () => this.#longTimes.nodeAway(),
      allAway: () => this.#longTimes.allAway(),
    }
    const all = Object.entries(deeds)
    return all[between(this.#cluster.random, 0, all.length - 1)]!
  }

  #skewClock(): void {
    const { random } = this.#cluster
    const hours = between(random, -5, 5)
    const who = this.#accidents.skewClock(hours * 60)
    if (who.startsWith('signer')) this.#holdings.signerIsSkewed(5 * 60 * minute)
  }

  /** Nothing is written any more but what has to be from time to time. */
  async #atRest(pass: () => Promise<void>): Promise<void> {
    const written: string[] = []
    const stop = this.#cluster.api.follow(({ actor, resource, object }) => {
      if (resource === 'coordination.k8s.io/leases') return
      written.push(`${actor} ${resource} ${object.metadata.name}`)
    })
    await pass()
    stop()
    if (written.length > 0) {
      this.#cluster.violated('at rest nothing is written', written.slice(0, 5).join('; '))
    }
  }

  async #until(ms: number, isSo: () => boolean): Promise<void> {
    const { clock } = this.#cluster
    const end = clock.elapsed() + ms
    while (!this.#isBroken && !isSo() && clock.elapsed() < end) await clock.advance(10_000)
  }

  #makeSigners(): LedProcess[] {
    const cluster = this.#cluster
    const tamper = this.#tamper
    const chance = worldChance(cluster.newRandom())
    const numbers = cluster.random.next() < 0.3 ? [1, 2] : [1]
    return numbers.map(
      (number) =>
        new LedProcess({
          cluster,
          name: `signer-${number}`,
          actor: 'signer',
          ...(numbers.length > 1 && { lease: { namespace: 'default', name: 'signer' } }),
          run: (tools, term) => runSigner({ ...tools, chance, approveRequests: false }, term),
          ...(tamper && { tamper: (transport: Transport) => tamper('signer', transport) }),
        }),
    )
  }

  /** With what the cluster gives at this moment. */
  async #join(name: string): Promise<void> {
    const tamper = this.#tamper
    const role = name.startsWith('master') ? 'master' : 'worker'
    const witness = {
      held: this.#holdings.held.bind(this.#holdings),
      started: (node: TrustNode) => this.#holdings.learned(node, 'api-server-ca'),
      restarts: (node: TrustNode) => this.#restarts.restarts(node),
    }
    const node = new TrustNode(
      name,
      { [`node-role.kubernetes.io/${role}`]: '' },
      this.#cluster,
      witness,
      tamper && ((transport) => tamper('daemon', transport)),
    )
    this.#nodes.set(name, node)
    const given = this.#rotations.flatMap(({ spec }) => {
      const text = givenTo(this.#cluster, spec.trustedBy!)
      return text === '' ? [] : [[spec.trustedBy, text] as const]
    })
    await node.join(renderedConfig(this.#cluster) ?? config, Object.fromEntries(given))
  }

  #count(actor: string, resource: string, name: string): void {
    if (actor !== 'signer' || resource !== '/secrets') return
    if (name.endsWith('-signer')) this.#made.authorities += 1
    else this.#made.issued += 1
  }
}
