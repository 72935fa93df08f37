import type { Cancel, Clock } from '@machinist/core/clock'
import { messageOf } from '@machinist/core/errors'
import { keyText } from '@machinist/core/objects/resource'
import type { KubeClient } from '@machinist/kube/client/client'
import type { Bundle } from '@machinist/pki/bundle'
import { sameBundle, union } from '@machinist/pki/bundle'
import { timestamp } from '@machinist/core/timestamp'
import { fingerprintsDigest } from '../../../api/trust/digests.ts'
import type { TrustedCertificate } from '../../../api/kinds/node-trust.ts'
import { trustItems } from '../../../api/trust/items.ts'
import { nodePaths } from '../../../api/node-paths.ts'
import type { Host } from '../../host/host.ts'
import type {
  ApplyResult,
  Holding,
  ItemHandler,
  ObservedItem,
  ItemNotes,
  ApplyRequest,
} from '../items/item.ts'
import { RefusedInput } from '../items/item.ts'
import { trustedCertificates } from '../items/trust-file.ts'
import { missingAuthorities, deferredAuthorities } from './missing-authorities.ts'
import type { ObservedKubeconfig } from './kubeconfig-files.ts'
import { kubeconfigPaths, observeKubeconfig, writeCA } from './kubeconfig-files.ts'
import { readSource, sourceConfigMap } from './source.ts'
import type { KubeletNote } from './kubelet-note.ts'
import { noteAfter, withoutRemoved } from './kubelet-note.ts'
import type { KubeletRestartOptions, RestartCause } from './kubelet-restart.ts'
import { KubeletRestart, kubeletUnit } from './kubelet-restart.ts'

/** Interval at which a restart by another process is noticed while the node waits for its turn. */
const recheckMs = 60_000

export interface ApiServerCAOptions extends Omit<KubeletRestartOptions, 'units'> {
  readonly host: Pick<Host, 'files' | 'units' | 'power'>
  readonly client: KubeClient
  readonly notes: ItemNotes<KubeletNote>
  readonly clock: Clock
  /** The state of the item changed and must be observed again. */
  readonly changed: () => void
}

/** The CAs of the API server in both kubeconfigs of a node. */
export class ApiServerCA implements ItemHandler {
  readonly item = trustItems.apiServerCA
  readonly source = sourceConfigMap
  readonly needsPayload = false
  readonly #options: ApiServerCAOptions
  readonly #restart: KubeletRestart
  #cancelRecheck: Cancel | undefined

  constructor(options: ApiServerCAOptions) {
    this.#options = options
    const cause: RestartCause = {
      due: async () => bundleId((await this.#missing(await this.#read()))?.loading),
      done: (id) => this.#recordLoaded(id),
      changed: options.changed,
    }
    this.#restart = new KubeletRestart({ ...options, units: options.host.units }, cause)
  }

  watched(): string[] {
    return [...kubeconfigPaths]
  }

  /** For clusters without a digests annotation. */
  async sourceDigest(signal: AbortSignal): Promise<string | undefined> {
    const bundle = (await readSource(this.#options.client, signal))?.bundle
    return bundle && fingerprintsDigest(bundle.keys())
  }

  async observe(): Promise<ObservedItem> {
    const found = await this.#read()
    const bundles = inline(found)
    const problem = found.flatMap((each) => (each.type === 'bad' ? [each.problem] : [])).join('; ')
    const [first, ...others] = bundles
    const areSame = first && problem === '' && others.every((other) => sameBundle(first, other))
    const digest = areSame ? { digest: fingerprintsDigest(first.keys()) } : {}
    const missing = await this.#missing(found)
    const effect = await this.#effect(missing)
    const mustRestart = effect.pending !== undefined || effect.failure !== undefined
    const certificates = trustedCertificates(union(...bundles))
    const note = this.#options.notes.read()
    const holding: Holding = {
      name: this.item,
      paths: found.flatMap(({ type: is, path }) => (is === 'inline' ? [path] : [])),
      certificates: mustRestart ? withLoaded(certificates, missing) : certificates,
      ...digest,
      ...(note?.writtenAt !== undefined && { writtenAt: note.writtenAt }),
      ...(problem !== '' && { problem }),
    }
    const inapplicable = found.flatMap((each) => (each.type === 'inapplicable' ? [each.why] : []))
    return {
      ...digest,
      holdings: [holding],
      ...(note?.loadedAt !== undefined && { loadedAt: note.loadedAt }),
      ...(inapplicable.length === found.length && { inapplicable: inapplicable.join(', ') }),
      ...effect,
    }
  }

  async apply({ signal }: ApplyRequest): Promise<ApplyResult> {
    const found = await this.#read()
    if (inline(found).length === 0) return { written: [], ...failuresIn(found) }
    const source = await readSource(this.#options.client, signal)
    if (!source) {
      throw new RefusedInput(`ConfigMap ${keyText(sourceConfigMap)} contains no certificate`)
    }
    const outdated = found.filter(
      (each) => each.type === 'inline' && !sameBundle(each.bundle, source.bundle),
    )
    if (outdated.length > 0) await this.#noteRunning(found, source.bundle)
    for (const { path } of outdated) await writeCA(this.#options.host.files, path, source.pem)
    await this.#forgetRemoved(source.bundle)
    return { written: outdated.length > 0 ? [this.item] : [], ...failuresIn(found) }
  }

  async #read(): Promise<ObservedKubeconfig[]> {
    const { files } = this.#options.host
    return await Promise.all(kubeconfigPaths.map((path) => observeKubeconfig(files, path)))
  }

  /** Whether the kubelet has loaded the CAs on disk. If it must, requests a restart. */
  async #effect({ count, later }: MissingCAs = noneMissing): Promise<Effect> {
    const isNeeded = count > 0 && (await this.#hasKubelet())
    this.#cancelRecheck?.()
    if (isNeeded) this.#restart.request()
    else this.#restart.cancel()
    const { problem, requestedAt } = this.#restart
    const request = requestedAt !== undefined && { restartRequestedAt: requestedAt }
    if (isNeeded) {
      this.#scheduleRecheck()
      const waits = `the kubelet must be restarted to load ${plural(count)}`
      if (problem !== undefined) return { ...request, failure: `${waits}: ${problem}` }
      return { ...request, pending: `${waits}: waiting for its turn` }
    }
    if (count > 0) {
      const remark = `this node has no ${kubeletUnit} to restart`
      return { ...request, remark }
    }
    const remark = `${plural(later)} of a local signer: the kubelet loads it at its next start`
    return { ...request, ...(later > 0 && { remark }) }
  }

  /** The CAs that the running kubelet has not loaded; undefined: nothing was written since it started. */
  async #missing(found: readonly ObservedKubeconfig[]): Promise<MissingCAs | undefined> {
    const note = this.#options.notes.read()
    const loading = kubeletsBundle(found)
    if (!note || !loading || note.bootId !== (await this.#options.host.power.bootId())) {
      return undefined
    }
    const missing = countMissing(note, loading)
    if (missing.count === 0 || this.#restart.isUnverified) return missing
    return countMissing(await this.#observeKubelet(note, loading), loading)
  }

  /** Updates the note if the kubelet was restarted. */
  async #observeKubelet(note: KubeletNote, onDisk: Bundle): Promise<KubeletNote> {
    const { notes, host, clock, log } = this.#options
    const start = await host.units.lastStart(kubeletUnit).catch((error: unknown) => {
      log.info('cannot read when the kubelet started', { error: messageOf(error) })
      return undefined
    })
    if (start === undefined) return note
    // The previous daemon may have restarted it: the turn is kept until the kubelet is healthy.
    const isOther = note.seen !== undefined && note.seen.start !== start
    if (isOther && (await this.#restart.healthProblem()) !== undefined) return note
    const at = timestamp(clock.now())
    const known = noteAfter(note, { start, fingerprints: [...onDisk.keys()], at })
    if (known !== note) await notes.write(known)
    return known
  }

  /** No event announces a restart of the kubelet by another process. */
  #scheduleRecheck(): void {
    const { clock, changed, signal } = this.#options
    this.#cancelRecheck = clock.after(recheckMs, () => {
      if (!signal.aborted && !this.#restart.isUnverified) changed()
    })
  }

  async #hasKubelet(): Promise<boolean> {
    const { units } = this.#options.host
    return !['not-found', 'masked'].includes(await units.enablement(kubeletUnit))
  }

  /** Called before the write: a kubelet that starts after it no longer finds the removed CAs. */
  async #noteRunning(found: readonly ObservedKubeconfig[], desired: Bundle): Promise<void> {
    const { notes, host, clock } = this.#options
    const bootId = await host.power.bootId()
    const before = notes.read()
    const { loadedAt } = before ?? {}
    const onDisk = kubeletsBundle(found) ?? new Map()
    const note: KubeletNote =
      before?.bootId === bootId
        ? await this.#observeKubelet(before, onDisk)
        : { loaded: [...onDisk.keys()], bootId, ...(loadedAt !== undefined && { loadedAt }) }
    await notes.write({ ...withoutRemoved(note, desired), writtenAt: timestamp(clock.now()) })
  }

  /** A removed CA counts as new if it comes back: another process may have restarted the kubelet without it. */
  async #forgetRemoved(desired: Bundle): Promise<void> {
    const { notes } = this.#options
    const note = notes.read()
    const loaded = note?.loaded.filter((fingerprint) => desired.has(fingerprint)) ?? []
    if (note && loaded.length < note.loaded.length) await notes.write({ ...note, loaded })
  }

  async #recordLoaded(id: string): Promise<void> {
    const { notes, host, clock } = this.#options
    const bootId = await host.power.bootId()
    const loadedAt = timestamp(clock.now())
    const { seen: _, ...note } = notes.read() ?? {}
    await notes.write({ ...note, loaded: id.split(' '), bootId, loadedAt })
  }
}

type Effect = Pick<ObservedItem, 'pending' | 'failure' | 'restartRequestedAt' | 'remark'>

interface MissingCAs {
  /** CAs that require a restart. */
  readonly count: number
  /** CAs that can wait for the next start. */
  readonly later: number
  /** All CAs that a restart would load; set if one is needed. */
  readonly loading?: Bundle
  /** Fingerprints of the CAs that require a restart. */
  readonly unloaded: ReadonlySet<string>
}

const noneMissing: MissingCAs = { count: 0, later: 0, unloaded: new Set() }

/** A kubelet that runs without a CA rejects an API server whose certificate that CA signed. */
const withLoaded = (
  certificates: readonly TrustedCertificate[],
  { unloaded }: MissingCAs = noneMissing,
): TrustedCertificate[] =>
  certificates.map((each) => (unloaded.has(each.fingerprint) ? { ...each, loaded: false } : each))

function countMissing(note: KubeletNote, loading: Bundle): MissingCAs {
  const loaded = new Set(note.loaded)
  const unloaded = new Set(missingAuthorities(loaded, loading).keys())
  const later = deferredAuthorities(loaded, loading).size
  return { count: unloaded.size, later, unloaded, ...(unloaded.size > 0 && { loading }) }
}

const inline = (found: readonly ObservedKubeconfig[]): Bundle[] =>
  found.flatMap((each) => (each.type === 'inline' ? [each.bundle] : []))

/** The kubelet's own kubeconfig counts; a kubelet without one starts with the bootstrap kubeconfig. */
function kubeletsBundle(found: readonly ObservedKubeconfig[]): Bundle | undefined {
  const own = found.find(({ path }) => path === nodePaths.kubeletKubeconfig)
  return own?.type === 'inline' ? own.bundle : inline(found)[0]
}

const bundleId = (bundle: Bundle | undefined): string | undefined =>
  bundle && [...bundle.keys()].sort().join(' ')

function failuresIn(found: readonly ObservedKubeconfig[]): Pick<ApplyResult, 'failures'> {
  const problems = found.flatMap((each) => (each.type === 'bad' ? [each.problem] : []))
  return problems.length === 0
    ? {}
    : { failures: new Map([[trustItems.apiServerCA, problems.join('; ')]]) }
}

const plural = (count: number): string => (count === 1 ? 'a new CA' : `${count} new CAs`)
