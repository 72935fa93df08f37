import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { readBundle } from '@machinist/pki/bundle'
import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../../src/api/kinds/resources.ts'
import type { CertificateDelivery } from '../../../../src/api/trust/items.ts'
import { JournaledUpdates } from '../../../../src/daemon/apply/run/journaled-updates.ts'
import type { UpdateOutcome, Update } from '../../../../src/daemon/apply/update.ts'
import { CertificateFiles } from '../../../../src/daemon/trust/view/certificate-files.ts'
import { DriftExceptions } from '../../../../src/daemon/drift/exceptions.ts'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { kubeletCAItem } from '../../../../src/daemon/trust/items/bundle-item.ts'
import { DesiredTrustSource } from '../../../../src/daemon/trust/desired/desired-trust-source.ts'
import { Ledger } from '../../../../src/daemon/trust/items/ledger.ts'
import { TrustMemory } from '../../../../src/daemon/trust/memory/memory.ts'
import { LaneView } from '../../../../src/daemon/trust/view/view.ts'
import { findDifferences } from '../../../../src/daemon/verify/differences.ts'
import { plan } from '../../../../src/planner/plan.ts'
import { facts, file, machineConfig, spec } from '../../../../src/planner/configs.fixture.ts'
import { testRun } from '../../../../src/daemon/apply/machine.fixture.ts'
import { bundle } from './certificates.ts'
import { TrialConfig, TrialLane } from './trial.ts'

export const path = nodePaths.kubeletCA

/** CAs as the cluster collects them: `a`, then `ab`, then `abc`. */
export const cas = (letters: string): Promise<string> => bundle(...letters.split(''))

/** A cluster with its desired CAs, its delivery and all configs rendered so far. */
export class DeliveryCluster {
  readonly config = new TrialConfig()
  readonly rendered: MachineConfig[] = []
  #letters = ''
  #delivery: CertificateDelivery = 'rendered'

  async setDesired(letters: string, delivery = this.#delivery): Promise<void> {
    this.#letters = letters
    this.#delivery = delivery
    this.config.give({ kubelet: await cas(letters) }, { delivery })
  }

  get desired(): Promise<string> {
    return cas(this.#letters)
  }

  /** Renders a config with or without the bundle, depending on the delivery. */
  async render(): Promise<MachineConfig> {
    const number = this.rendered.length
    const certificates = this.#delivery === 'rendered' ? [file(path, await this.desired)] : []
    const files = [...certificates, file('/etc/motd', `config ${number}`)]
    const made = machineConfig(`rendered-${number}-${this.#letters}`, spec({ files }))
    this.rendered.push(made)
    return made
  }
}

/** A node with both lanes of its daemon on one disk. */
export class DeliveryNode {
  readonly #cluster: DeliveryCluster
  readonly #host: Host
  readonly #lane: TrialLane
  readonly view: LaneView
  readonly #updates: JournaledUpdates
  readonly #certificates: CertificateFiles
  readonly #exceptions: DriftExceptions

  /** Starts another daemon on that disk. */
  static async start(cluster: DeliveryCluster, host: Host): Promise<DeliveryNode> {
    return new DeliveryNode(cluster, host, await Ledger.open(host.files, silentLogger))
  }

  private constructor(cluster: DeliveryCluster, host: Host, ledger: Ledger) {
    const clock = new VirtualClock()
    const log = silentLogger
    const { files } = host
    this.#cluster = cluster
    this.#host = host
    const random = seededRandom(1)
    const { config } = cluster
    const memory = new TrustMemory(clock, random, 0)
    const source = new DesiredTrustSource({ config, clock, log })
    const start = { recorded: ledger.delivery, fallback: 'direct' } as const
    this.view = new LaneView(start, { source, observed: memory.observed })
    const certificates = new CertificateFiles(files, this.view)
    const runExclusive = certificates.runExclusive.bind(certificates)
    const handlers = [kubeletCAItem({ files, ledger, clock, runExclusive })]
    const parts = { config, source, handlers, ledger, view: this.view, memory }
    const reporter = { report: () => Promise.resolve(), forget: () => {} }
    this.#lane = new TrialLane({ ...parts, reporter, clock, random, log })
    this.#certificates = certificates
    this.#exceptions = new DriftExceptions([], certificates)
    const [except, kept] = [this.#exceptions, certificates]
    this.#updates = new JournaledUpdates({ host, clock, log, except, shared: kept })
  }

  /** Runs the trust lane after a change of the ControllerConfig or the file. */
  async trust(): Promise<void> {
    this.#lane.changed()
    await this.#lane.reconcile()
  }

  async planTo(desired: MachineConfig): Promise<Update> {
    await this.view.catchUp(new AbortController().signal)
    const current = await this.current()
    const { delivery } = this.view
    const made = plan({ current, desired, rules: '4.16', facts, delivery })
    // These tests do not reboot.
    const steps = made.steps.filter((step) => step.do !== 'reboot')
    return { plan: { ...made, steps }, current, desired }
  }

  run(update: Update): Promise<UpdateOutcome> {
    return this.#updates.run(update, testRun())
  }

  resume(): Promise<UpdateOutcome> {
    return this.#updates.resume(testRun())
  }

  async roll(desired: MachineConfig): Promise<string> {
    return (await this.run(await this.planTo(desired))).type
  }

  async current(): Promise<MachineConfig> {
    const text = Buffer.from(await this.#host.files.read(nodePaths.currentConfig)).toString()
    return JSON.parse(text) as MachineConfig
  }

  /** The differences that a verification of the disk reports. */
  async drift(): Promise<string[]> {
    const kept = this.#certificates
    const found = await findDifferences(this.#host, await this.current(), {
      os: false,
      shared: kept,
    })
    return this.#exceptions.without(found).map(({ at, what }) => `${at} ${what}`)
  }

  get desired(): Promise<string> {
    return this.#cluster.desired
  }
}

/** The successive contents of the file, as letters; `-` if it is absent, `!` if it cannot be parsed. */
export class Sampler {
  readonly seen: string[] = []
  readonly #names = new Map<string, string>()
  #last: string | undefined

  async know(...letters: string[]): Promise<this> {
    for (const letter of letters) {
      const [fingerprint] = readBundle(await cas(letter)).bundle.keys()
      this.#names.set(fingerprint!, letter)
    }
    return this
  }

  /** Records the content if it has changed. */
  sample(content: string | undefined): void {
    if (this.seen.length > 0 && content === this.#last) return
    this.#last = content
    this.seen.push(this.lettersOf(content))
  }

  lettersOf(content: string | undefined): string {
    if (content === undefined) return '-'
    const { bundle: found, problems } = readBundle(content)
    if (problems.length > 0 || found.size === 0) return '!'
    return [...found.keys()]
      .map((each) => this.#names.get(each) ?? '?')
      .sort()
      .join('')
  }

  /** Changes that lost a CA. */
  get losses(): string[] {
    return this.seen.flatMap((now, at) => {
      const before = this.seen[at - 1] ?? ''
      const isLost = before
        .split('')
        .some((letter) => /[a-z]/.test(letter) && !now.includes(letter))
      return isLost ? [`${before} → ${now}`] : []
    })
  }
}
