import { between } from '@machinist/core/random'
import type { Transport } from '@machinist/kube/transport/transport'
import { runSigner } from '../../../src/signer/run-signer.ts'
import { Faults } from '../faults.ts'
import { Cluster } from '../cluster.ts'
import { controllerProcess } from '../control-plane.ts'
import { LedProcess } from '../led-process.ts'
import { Restores } from '../restores.ts'
import { checkClaims } from './checks/claims.ts'
import { unseenPools, unsettled } from './checks/end-state.ts'
import { heldUpProblems } from './checks/held-up.ts'
import { NodeBundlesCheck } from './checks/node-bundles.ts'
import { PrivateKeysCheck } from './checks/private-keys.ts'
import { RestartsCheck } from './checks/restarts.ts'
import { issuanceRandom } from './issuance-random.ts'
import { config, deliveredBundle, install, renderedConfig, templates } from './installation.ts'
import { LongAbsences } from './long-absences.ts'
import { trustLoops, wholeOperator } from './operator-loops.ts'
import type { Rotation } from './rotations.ts'
import { kubeletRotation, servingRotation } from './rotations.ts'
import type { TrustScene } from './scene.ts'
import { CertificateReader } from './seen-certificates.ts'
import { TrustNode } from './trust-node.ts'
import { TrustUsers } from './trust-users.ts'

export interface TrustSimulationOptions {
  /** Determines the whole simulation. Every twentieth seed is a large cluster. */
  readonly seed: number
  /** Number of log lines to keep. */
  readonly keep?: number
  /** Changes the traffic between a component and the API, to test the checks. */
  readonly tamper?: (who: 'signer' | 'operator' | 'daemon', transport: Transport) => Transport
}

export interface TrustSimulationResult {
  readonly seed: number
  readonly violations: readonly string[]
  readonly digest: string
  /** Virtual time until the cluster was settled. */
  readonly days: number
  /** Writes of CAs and of leaf certificates. */
  readonly authorities: number
  readonly issued: number
  readonly log: readonly string[]
}

const minute = 60_000
/** A node that has been reachable for this long, with operator and signer running, has every CA in use. */
const excusedMs = 30 * minute
/** Longer than the slowest recovery takes. */
const recoveryTimeoutMs = 4 * 60 * minute

/** Runs one trust simulation. */
export async function simulateTrust(
  options: TrustSimulationOptions,
): Promise<TrustSimulationResult> {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const simulation = new TrustSimulation(options)
    await simulation.begin()
    await simulation.disturb()
    await simulation.restoreBackup()
    await simulation.block()
    await simulation.recover()
    simulation.end()
    return simulation.result()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

class TrustSimulation {
  readonly #cluster: Cluster
  readonly #scene: TrustScene
  readonly #nodes = new Map<string, TrustNode>()
  readonly #rotations: Rotation[]
  readonly #signers: LedProcess[]
  readonly #operator: LedProcess
  readonly #users: TrustUsers
  readonly #faults: Faults
  readonly #longAbsences: LongAbsences
  readonly #restores: Restores
  readonly #nodeBundles: NodeBundlesCheck
  readonly #restarts: RestartsCheck
  readonly #isBig: boolean
  /** MachineConfigs deliver certificates, as in OpenShift up to 4.12. */
  readonly #isRendered: boolean
  /** All loops of the operator run. */
  readonly #isWhole: boolean
  readonly #controllers: LedProcess[]
  readonly #tamper: TrustSimulationOptions['tamper']
  #late = 0
  readonly #made = { authorities: 0, issued: 0 }

  constructor({ seed, keep, tamper }: TrustSimulationOptions) {
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
    const scene = {
      cluster,
      reader: new CertificateReader(),
      nodes: this.#nodes,
      rotations: this.#rotations,
    }
    this.#scene = scene
    this.#nodeBundles = new NodeBundlesCheck(scene)
    this.#restarts = new RestartsCheck(scene)
    const keys = new PrivateKeysCheck(scene)
    cluster.api.follow((change) => {
      this.#nodeBundles.look(change)
      keys.look(change)
      checkClaims(scene, this.#nodeBundles, change)
      this.#count(change.actor, change.resource, change.object.metadata.name)
    })
    cluster.api.onEvent = (event) => keys.checkText(JSON.stringify(event), () => 'an event')
    cluster.trace.listen((who, text) => keys.checkText(text, () => `the log of ${who}`))
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
    this.#longAbsences = new LongAbsences(scene, processes)
    const nodes = {
      values: () => [...this.#nodes.values()].map(({ simulated }) => simulated).values(),
    }
    this.#faults = new Faults({ cluster, nodes, controllers: processes })
    const parts = [this.#users, this.#nodeBundles, this.#restarts]
    this.#restores = new Restores({ cluster, nodes, controllers: processes, parts, ahead: 0.5 })
  }

  /** Starts a settled cluster. */
  async begin(): Promise<void> {
    const { random, clock } = this.#cluster
    install(this.#cluster, this.#rotations, {
      isRendered: this.#isRendered,
      isWhole: this.#isWhole,
    })
    for (const signer of this.#signers) signer.start()
    for (const process of [this.#operator, ...this.#controllers]) process.start()
    const isGiven = (): boolean =>
      this.#rotations.every(({ spec }) => deliveredBundle(this.#cluster, spec.trustedBy!) !== '') &&
      (!this.#isRendered || renderedConfig(this.#cluster) !== undefined)
    await this.#until(5 * minute, isGiven)
    if (!isGiven()) {
      return this.#cluster.violated('the bundles are published', 'they are not')
    }
    const workers = this.#isBig ? between(random, 2, 4) : random.next() < 0.6 ? 2 : 1
    const hasServing = this.#rotations.length > 1
    const masters = hasServing ? (this.#isBig ? 3 : 2) : 0
    for (let i = 1; i <= masters; i++) await this.#join(`master-${i}`)
    for (let i = 1; i <= workers - (masters > 0 && !this.#isBig ? 1 : 0); i++) {
      await this.#join(`worker-${i}`)
    }
    await clock.advance(20_000)
    this.#nodeBundles.begun()
  }

  /** Users and faults disturb the cluster. */
  async disturb(): Promise<void> {
    const { random, clock } = this.#cluster
    const count = this.#isBig ? between(random, 4, 10) : between(random, 1, 3)
    this.#users.rotate()
    await this.#runEvents(count)
    await clock.advance(between(random, 1, 60) * 1000)
  }

  /** In every seventh simulation: restores a backup of the API. */
  async restoreBackup(): Promise<void> {
    const { seed, clock } = this.#cluster
    if (this.#isViolated || seed % 7 !== 2) return
    const { random } = this.#restores
    this.#restores.backup()
    if (random.next() < 0.6) this.#users.rotate()
    await this.#runEvents(between(random, 0, 3))
    await clock.advance(this.#restores.whileMs())
    if (this.#isViolated) return
    this.#restores.restore()
    await this.#runEvents(between(random, 0, 2))
    await clock.advance(between(random, 1, 60) * 1000)
  }

  async #runEvents(count: number): Promise<void> {
    const { random, clock, trace } = this.#cluster
    for (let i = 0; i < count && !this.#isViolated; i++) {
      // Sometimes long enough for the removal of an old CA.
      const seconds = random.next() < 0.2 ? between(random, 60, 420) : between(random, 1, 60)
      await clock.advance(seconds * 1000)
      const [name, run] = this.#randomEvent()
      trace.note('FAULT', name)
      await run()
    }
  }

  /** In some simulations: one node is away, and a rotation must wait for it and name it. */
  async block(): Promise<void> {
    const { random, clock, trace, network } = this.#cluster
    if (this.#isViolated || this.#isRendered || random.next() > 0.12) return
    this.#endFaults()
    await this.#until(recoveryTimeoutMs, () => this.#unsettled().length === 0)
    if (this.#isViolated || this.#unsettled().length > 0) return
    const rotation = this.#rotations[between(random, 0, this.#rotations.length - 1)]!
    const all = [...this.#nodes.values()]
    const node = all[between(random, 0, all.length - 1)]!
    trace.note('FAULT', `${rotation.name} has to wait for ${node.name}`)
    const isOff = random.next() < 0.5
    if (isOff) node.simulated.powerOff()
    else network.cutOff(node.name)
    node.simulated.heartbeat()
    this.#users.rotate(rotation)
    const problems = (): string[] =>
      heldUpProblems(this.#scene, this.#nodeBundles.leafCertificates, rotation, node)
    // Kubelets restart one at a time.
    await this.#until(20 * minute, () => problems().length === 0)
    // The state must persist.
    await clock.advance(between(random, 1, 20) * minute)
    if (this.#isViolated) return
    if (problems().length > 0) {
      this.#cluster.violated('a waiting rotation names the nodes', problems().join('; '))
    }
    if (isOff) node.simulated.powerOn()
    else network.reconnect(node.name)
    node.simulated.heartbeat()
  }

  /** Ends all faults; the cluster must settle. */
  async recover(): Promise<void> {
    const { clock, trace } = this.#cluster
    trace.note('FAULT', 'no more faults')
    this.#endFaults()
    await this.#until(excusedMs, () => this.#unsettled().length === 0)
    const lacking = this.#nodeBundles.everyNodeHolds()
    if (lacking.length > 0) {
      this.#cluster.violated('nodes get the CAs that they lacked', lacking.join('; '))
    }
    await this.#until(recoveryTimeoutMs, () => this.#unsettled().length === 0)
    if (this.#isViolated) return
    const problems = this.#unsettled()
    if (problems.length > 0) {
      return this.#cluster.violated('every rotation completes', problems.join('; '))
    }
    if (this.#cluster.random.next() < 0.8) return
    // A partitioned daemon detects its dead watch after 2.5 minutes.
    await clock.advance(4 * minute)
    // Components may still react to the last changes, such as a recreated Node.
    await this.#until(recoveryTimeoutMs, () => this.#unsettled().length === 0)
    await this.#checkIdle(() => clock.advance(5 * minute))
  }

  end(): void {
    for (const { simulated } of this.#nodes.values()) simulated.end()
    for (const process of [...this.#signers, this.#operator, ...this.#controllers]) process.off()
  }

  result(): TrustSimulationResult {
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

  #endFaults(): void {
    this.#faults.heal()
    this.#users.revertAll()
    if (this.#isRendered) this.#users.pause(false)
  }

  get #isViolated(): boolean {
    return this.#cluster.violations.length > 0
  }

  #randomEvent(): readonly [string, () => void | Promise<void>] {
    const users = this.#users
    const faults = this.#faults
    const events: Readonly<Record<string, () => void | Promise<void>>> = {
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
      storm: () => faults.storm(),
      cutOffNode: () => faults.cutOffNode(),
      cutOffProcess: () => faults.cutOffController(),
      powerCut: () => faults.powerCut(),
      killDaemon: () => faults.killDaemon(),
      killDaemonAgain: () => faults.killDaemon(),
      killProcess: () => faults.killController(),
      killProcessAgain: () => faults.killController(),
      killProcessOnceMore: () => faults.killController(),
      restartProcess: () => faults.restartController(),
      freeze: () => faults.freeze(),
      skewClock: () => this.#skewClock(),
      breakDisk: () => faults.breakDisk(),
      forgetHistory: () => faults.forgetHistory(),
      nodeAway: () => this.#longAbsences.nodeAway(),
      allAway: () => this.#longAbsences.allAway(),
    }
    const all = Object.entries(events)
    return all[between(this.#cluster.random, 0, all.length - 1)]!
  }

  #skewClock(): void {
    const { random } = this.#cluster
    const hours = between(random, -5, 5)
    const who = this.#faults.skewClock(hours * 60)
    if (who.startsWith('signer')) this.#nodeBundles.signerIsSkewed(5 * 60 * minute)
  }

  /** Checks that nothing but leases is written. */
  async #checkIdle(pass: () => Promise<void>): Promise<void> {
    const written: string[] = []
    const stop = this.#cluster.api.follow(({ actor, resource, object }) => {
      if (resource === 'coordination.k8s.io/leases') return
      written.push(`${actor} ${resource} ${object.metadata.name}`)
    })
    await pass()
    stop()
    if (written.length > 0) {
      this.#cluster.violated('a settled cluster writes nothing', written.slice(0, 5).join('; '))
    }
  }

  async #until(ms: number, isSo: () => boolean): Promise<void> {
    const { clock } = this.#cluster
    const end = clock.elapsed() + ms
    while (!this.#isViolated && !isSo() && clock.elapsed() < end) await clock.advance(10_000)
  }

  #makeSigners(): LedProcess[] {
    const cluster = this.#cluster
    const tamper = this.#tamper
    const chance = issuanceRandom(cluster.newRandom())
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

  /** Adds a node, with the bundles that the cluster delivers now. */
  async #join(name: string): Promise<void> {
    const tamper = this.#tamper
    const role = name.startsWith('master') ? 'master' : 'worker'
    const witness = {
      held: this.#nodeBundles.held.bind(this.#nodeBundles),
      started: (node: TrustNode) => this.#nodeBundles.learned(node, 'api-server-ca'),
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
      const text = deliveredBundle(this.#cluster, spec.trustedBy!)
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
