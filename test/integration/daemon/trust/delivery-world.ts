import { nodePaths } from '../../../../src/api/node-paths.ts'
import type { MachineConfig } from '../../../../src/api/resources.ts'
import type { CertificateDelivery } from '../../../../src/api/trust/items.ts'
import { silentLogger } from '@machinist/core/log'
import { seededRandom } from '@machinist/core/random'
import { VirtualClock } from '@machinist/core/virtual-clock'
import { JournaledUpdates } from '../../../../src/daemon/apply/journaled-updates.ts'
import type { Outcome, Update } from '../../../../src/daemon/apply/update.ts'
import { CertificateFiles } from '../../../../src/daemon/drift/certificate-files.ts'
import { Exceptions } from '../../../../src/daemon/drift/exceptions.ts'
import type { Host } from '../../../../src/daemon/host/host.ts'
import { kubeletCAItem } from '../../../../src/daemon/trust/bundle-item.ts'
import { TrustLane } from '../../../../src/daemon/trust/lane.ts'
import { Ledger } from '../../../../src/daemon/trust/ledger.ts'
import { View } from '../../../../src/daemon/trust/view.ts'
import { differences } from '../../../../src/daemon/verify/differences.ts'
import { plan } from '../../../../src/planner/plan.ts'
import { readBundle } from '@machinist/pki/bundle'
import { facts, file, machineConfig, spec } from '../../../../src/planner/configs.fixture.ts'
import { plainRun } from '../../../../src/daemon/apply/machine.fixture.ts'
import { bundle } from './certificates.ts'
import { TrialConfig } from './trial.ts'

export const path = nodePaths.kubeletCA

/** CAs as the cluster collects them: `a`, then `ab`, then `abc`. */
export const cas = (letters: string): Promise<string> => bundle(...letters.split(''))

/** The cluster: what it wants, how it delivers, and every config that was rendered so far. */
export class DeliveryCluster {
  readonly config = new TrialConfig()
  readonly rendered: MachineConfig[] = []
  #letters = ''
  #delivery: CertificateDelivery = 'rendered'

  async want(letters: string, delivery = this.#delivery): Promise<void> {
    this.#letters = letters
    this.#delivery = delivery
    this.config.give({ kubelet: await cas(letters) }, { delivery })
  }

  get wanted(): Promise<string> {
    return cas(this.#letters)
  }

  /** As the templates have it: with the bundle, or without. */
  async render(): Promise<MachineConfig> {
    const number = this.rendered.length
    const certificates = this.#delivery === 'rendered' ? [file(path, await this.wanted)] : []
    const files = [...certificates, file('/etc/motd', `config ${number}`)]
    const made = machineConfig(`rendered-${number}-${this.#letters}`, spec({ files }))
    this.rendered.push(made)
    return made
  }
}

/** One node: both lanes of its daemon on one disk. */
export class DeliveryNode {
  readonly #cluster: DeliveryCluster
  readonly #host: Host
  readonly lane: TrustLane
  readonly view: View
  readonly #updates: JournaledUpdates
  readonly #certificates: CertificateFiles
  readonly #exceptions: Exceptions

  /** Another daemon on that disk. */
  static async start(cluster: DeliveryCluster, host: Host): Promise<DeliveryNode> {
    return new DeliveryNode(cluster, host, await Ledger.open(host.files, silentLogger))
  }

  private constructor(cluster: DeliveryCluster, host: Host, ledger: Ledger) {
    const clock = new VirtualClock()
    const log = silentLogger
    const { files } = host
    this.#cluster = cluster
    this.#host = host
    this.view = new View({ said: ledger.delivery, usual: 'direct' }, (signal) =>
      this.lane.catchUp(signal),
    )
    const certificates = new CertificateFiles(files, this.view)
    const alone = certificates.alone.bind(certificates)
    const handlers = [kubeletCAItem({ files, ledger, clock, alone })]
    const parts = { config: cluster.config, handlers, ledger, view: this.view }
    const teller = { tell: () => Promise.resolve() }
    const random = seededRandom(1)
    this.lane = new TrustLane({ ...parts, teller, clock, random, log, jitterMs: 0 })
    this.#certificates = certificates
    this.#exceptions = new Exceptions([], certificates)
    const [except, kept] = [this.#exceptions, certificates]
    this.#updates = new JournaledUpdates({ host, clock, log, except, kept })
  }

  /** What the trust lane does when the ControllerConfig or its file has changed. */
  async trust(): Promise<void> {
    this.lane.changed()
    await this.lane.reconcile(new AbortController().signal)
  }

  async planTo(desired: MachineConfig): Promise<Update> {
    await this.view.caughtUp(new AbortController().signal)
    const current = await this.current()
    const { delivery } = this.view
    const made = plan({ current, desired, rules: '4.16', facts, delivery })
    // Reboots are no part of this.
    const steps = made.steps.filter((step) => step.do !== 'reboot')
    return { plan: { ...made, steps }, current, desired }
  }

  run(update: Update): Promise<Outcome> {
    return this.#updates.run(update, plainRun())
  }

  resume(): Promise<Outcome> {
    return this.#updates.resume(plainRun())
  }

  async roll(desired: MachineConfig): Promise<string> {
    return (await this.run(await this.planTo(desired))).is
  }

  async current(): Promise<MachineConfig> {
    const text = Buffer.from(await this.#host.files.read(nodePaths.currentConfig)).toString()
    return JSON.parse(text) as MachineConfig
  }

  /** What a look at the disk would complain about. */
  async drift(): Promise<string[]> {
    const kept = this.#certificates
    const found = await differences(this.#host, await this.current(), { os: false, kept })
    return this.#exceptions.without(found).map(({ at, what }) => `${at} ${what}`)
  }

  get wanted(): Promise<string> {
    return this.#cluster.wanted
  }
}

/** What the file held, moment by moment, as letters; `-` where it was not there, `!` where it could not be read. */
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

  /** Looks closely only if it is not the same file as a moment before. */
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

  /** Moments in which something was lost that had been there before. */
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
