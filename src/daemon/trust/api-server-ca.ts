import { fingerprintsDigest } from '../../api/trust/digests.ts'
import { trustItems } from '../../api/trust/items.ts'
import type { Cancel, Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { keyText } from '@machinist/core/resource'
import type { KubeClient } from '@machinist/kube/client'
import type { Bundle } from '@machinist/pki/bundle'
import { sameBundle, union } from '@machinist/pki/bundle'
import { nodePaths } from '../../api/node-paths.ts'
import type { Host } from '../host/host.ts'
import { missedBy, unhurried } from './api-server-ca-change.ts'
import type { FoundKubeconfig } from './api-server-ca-files.ts'
import { kubeconfigPaths, lookAtKubeconfig, putCA } from './api-server-ca-files.ts'
import { givenCAs, givenIn } from './api-server-ca-given.ts'
import type { Applied, Holding, ItemHandler, Look, Notes, Order } from './item.ts'
import { Refused } from './item.ts'
import type { KubeletNote } from './kubelet-note.ts'
import { noteOfSight, seenStaying } from './kubelet-note.ts'
import type { KubeletRestartOptions, RestartCause } from './kubelet-restart.ts'
import { KubeletRestart, kubeletUnit } from './kubelet-restart.ts'
import { timestamp } from '@machinist/core/timestamp'
import { trustedCertificates } from './trust-file.ts'

/** How soon it is noticed that somebody else restarted a kubelet that waits for its turn. */
const lookEveryMs = 60_000

export interface ApiServerCAOptions extends Omit<KubeletRestartOptions, 'units'> {
  readonly host: Pick<Host, 'files' | 'units' | 'power'>
  readonly client: KubeClient
  readonly notes: Notes<KubeletNote>
  readonly clock: Clock
  /** What is to be told about the item is something else now: look again. */
  readonly changed: () => void
}

/** The CAs by which the API server is known, inside both kubeconfigs of a node. */
export class ApiServerCA implements ItemHandler {
  readonly item = trustItems.apiServerCA
  readonly source = givenIn
  readonly needsPayload = false
  readonly #options: ApiServerCAOptions
  readonly #restart: KubeletRestart
  #cancelLook: Cancel | undefined

  constructor(options: ApiServerCAOptions) {
    this.#options = options
    const cause: RestartCause = {
      due: async () => nameOf((await this.#missed(await this.#found()))?.loading),
      done: (taken) => this.#loaded(taken),
      changed: options.changed,
    }
    this.#restart = new KubeletRestart({ ...options, units: options.host.units }, cause)
  }

  watched(): string[] {
    return [...kubeconfigPaths]
  }

  /** What the cluster gives now: for when nobody announces its digest. Undefined: nothing. */
  async given(signal: AbortSignal): Promise<string | undefined> {
    const bundle = (await givenCAs(this.#options.client, signal))?.bundle
    return bundle && fingerprintsDigest(bundle.keys())
  }

  async look(): Promise<Look> {
    const found = await this.#found()
    const bundles = inline(found)
    const problem = found.flatMap((each) => (each.is === 'bad' ? [each.problem] : [])).join('; ')
    const [first, ...others] = bundles
    const areSame = first && problem === '' && others.every((other) => sameBundle(first, other))
    const digest = areSame ? { digest: fingerprintsDigest(first.keys()) } : {}
    const inForce = await this.#inForce(found)
    const note = this.#options.notes.read()
    const holding: Holding = {
      name: this.item,
      paths: found.flatMap(({ is, path }) => (is === 'inline' ? [path] : [])),
      certificates: trustedCertificates(union(...bundles)),
      ...digest,
      ...(note?.writtenAt !== undefined && { writtenAt: note.writtenAt }),
      ...(problem !== '' && { problem }),
    }
    const nowhere = found.flatMap((each) => (each.is === 'inapplicable' ? [each.why] : []))
    return {
      ...digest,
      holdings: [holding],
      ...(note?.loadedAt !== undefined && { loadedAt: note.loadedAt }),
      ...(nowhere.length === found.length && { inapplicable: nowhere.join(', ') }),
      ...inForce,
    }
  }

  async apply({ signal }: Order): Promise<Applied> {
    const found = await this.#found()
    if (inline(found).length === 0) return { written: [], ...failuresIn(found) }
    const given = await givenCAs(this.#options.client, signal)
    if (!given) throw new Refused(`there is no certificate in ConfigMap ${keyText(givenIn)}`)
    const outdated = found.filter(
      (each) => each.is === 'inline' && !sameBundle(each.bundle, given.bundle),
    )
    if (outdated.length > 0) await this.#noteWhatRuns(found, given.bundle)
    for (const { path } of outdated) await putCA(this.#options.host.files, path, given.pem)
    await this.#forgetWhatWent(given.bundle)
    return { written: outdated.length > 0 ? [this.item] : [], ...failuresIn(found) }
  }

  async #found(): Promise<FoundKubeconfig[]> {
    const { files } = this.#options.host
    return await Promise.all(kubeconfigPaths.map((path) => lookAtKubeconfig(files, path)))
  }

  /** Whether the kubelet goes by what is on the disk. If not, it is seen to. */
  async #inForce(found: readonly FoundKubeconfig[]): Promise<InForce> {
    const { count = 0, later = 0 } = (await this.#missed(found)) ?? {}
    const isNeeded = count > 0 && (await this.#hasKubelet())
    this.#cancelLook?.()
    if (isNeeded) this.#restart.request()
    else this.#restart.drop()
    const { problem, requestedAt } = this.#restart
    const request = requestedAt !== undefined && { restartRequestedAt: requestedAt }
    if (isNeeded) {
      this.#lookLater()
      const waits = `the kubelet has to be restarted to take over ${plural(count)}`
      if (problem !== undefined) return { ...request, failure: `${waits}: ${problem}` }
      return { ...request, pending: `${waits}: it waits for its turn` }
    }
    if (count > 0) {
      const remark = `there is no ${kubeletUnit} on this node that would have to be restarted`
      return { ...request, remark }
    }
    const remark = `${plural(later)} of a local signer: the kubelet takes it over when it starts next`
    return { ...request, ...(later > 0 && { remark }) }
  }

  /** What the kubelet that runs does not know of; undefined: nothing was written since it was started. */
  async #missed(found: readonly FoundKubeconfig[]): Promise<Missed | undefined> {
    const note = this.#options.notes.read()
    const loading = kubeletsBundle(found)
    if (!note || !loading || note.bootId !== (await this.#options.host.power.bootId())) {
      return undefined
    }
    const missed = missedIn(note, loading)
    if (missed.count === 0 || this.#restart.isUnproven) return missed
    return missedIn(await this.#seeKubelet(note, loading), loading)
  }

  /** What is known once it was looked whether the kubelet is still the same. */
  async #seeKubelet(note: KubeletNote, onDisk: Bundle): Promise<KubeletNote> {
    const { notes, host, clock, log } = this.#options
    const start = await host.units.started(kubeletUnit).catch((error: unknown) => {
      log.info('cannot see when the kubelet was started', { error: messageOf(error) })
      return undefined
    })
    if (start === undefined) return note
    // It may be a restart of ours before this daemon was started: the turn is kept until the kubelet is healthy.
    const isOther = note.seen !== undefined && note.seen.start !== start
    if (isOther && (await this.#restart.healthProblem()) !== undefined) return note
    const at = timestamp(clock.now())
    const known = noteOfSight(note, { start, fingerprints: [...onDisk.keys()], at })
    if (known !== note) await notes.write(known)
    return known
  }

  /** Nothing announces that somebody else restarts the kubelet. */
  #lookLater(): void {
    const { clock, changed, signal } = this.#options
    this.#cancelLook = clock.after(lookEveryMs, () => {
      if (!signal.aborted && !this.#restart.isUnproven) changed()
    })
  }

  async #hasKubelet(): Promise<boolean> {
    const { units } = this.#options.host
    return !['not-found', 'masked'].includes(await units.enablement(kubeletUnit))
  }

  /** Before the write: what goes with it is no longer there for a kubelet that is started from then on. */
  async #noteWhatRuns(found: readonly FoundKubeconfig[], given: Bundle): Promise<void> {
    const { notes, host, clock } = this.#options
    const bootId = await host.power.bootId()
    const before = notes.read()
    const { loadedAt } = before ?? {}
    const onDisk = kubeletsBundle(found) ?? new Map()
    const note: KubeletNote =
      before?.bootId === bootId
        ? await this.#seeKubelet(before, onDisk)
        : { loaded: [...onDisk.keys()], bootId, ...(loadedAt !== undefined && { loadedAt }) }
    await notes.write({ ...seenStaying(note, given), writtenAt: timestamp(clock.now()) })
  }

  /** A kubelet that somebody else restarts no longer knows what went: if that comes back, it is new. */
  async #forgetWhatWent(given: Bundle): Promise<void> {
    const { notes } = this.#options
    const note = notes.read()
    const loaded = note?.loaded.filter((fingerprint) => given.has(fingerprint)) ?? []
    if (note && loaded.length < note.loaded.length) await notes.write({ ...note, loaded })
  }

  async #loaded(taken: string): Promise<void> {
    const { notes, host, clock } = this.#options
    const bootId = await host.power.bootId()
    const loadedAt = timestamp(clock.now())
    const { seen: _, ...note } = notes.read() ?? {}
    await notes.write({ ...note, loaded: taken.split(' '), bootId, loadedAt })
  }
}

type InForce = Pick<Look, 'pending' | 'failure' | 'restartRequestedAt' | 'remark'>

interface Missed {
  /** How many there is need to hurry for, and how many not. */
  readonly count: number
  readonly later: number
  /** All that a restart would bring; there if it is needed. */
  readonly loading?: Bundle
}

function missedIn(note: KubeletNote, loading: Bundle): Missed {
  const loaded = new Set(note.loaded)
  const [count, later] = [missedBy(loaded, loading).size, unhurried(loaded, loading).size]
  return { count, later, ...(count > 0 && { loading }) }
}

const inline = (found: readonly FoundKubeconfig[]): Bundle[] =>
  found.flatMap((each) => (each.is === 'inline' ? [each.bundle] : []))

/** The kubelet's own kubeconfig counts; one that has none yet starts with the other. */
function kubeletsBundle(found: readonly FoundKubeconfig[]): Bundle | undefined {
  const own = found.find(({ path }) => path === nodePaths.kubeletKubeconfig)
  return own?.is === 'inline' ? own.bundle : inline(found)[0]
}

const nameOf = (bundle: Bundle | undefined): string | undefined =>
  bundle && [...bundle.keys()].sort().join(' ')

function failuresIn(found: readonly FoundKubeconfig[]): Pick<Applied, 'failures'> {
  const problems = found.flatMap((each) => (each.is === 'bad' ? [each.problem] : []))
  return problems.length === 0
    ? {}
    : { failures: new Map([[trustItems.apiServerCA, problems.join('; ')]]) }
}

const plural = (count: number): string => (count === 1 ? 'a new CA' : `${count} new CAs`)
