import { sha256Hex } from '@machinist/core/encoding/digest'
import { timestamp } from '@machinist/core/timestamp'
import { nodePaths } from '../../../api/node-paths.ts'
import { trustItems } from '../../../api/trust/items.ts'
import type { MountedSecrets } from '../../host/files/mounted-secrets.ts'
import type { ItemOptions } from './bundle-item.ts'
import { configSource } from './bundle-item.ts'
import type {
  ApplyResult,
  Holding,
  ItemHandler,
  ObservedItem,
  ItemNotes,
  ApplyRequest,
} from './item.ts'
import { RefusedInput } from './item.ts'
import { mergedPullSecret, pullSecretKeys, refuseBadPullSecret } from './pull-secret.ts'
import { observeFile, writeVerified } from './trust-file.ts'

export interface PullSecretOptions extends Omit<ItemOptions, 'runExclusive'> {
  readonly mounted: MountedSecrets
  /** The roles of the node, by the precedence of their secrets; undefined while the Node is unknown. */
  readonly roles: () => readonly string[] | undefined
}

/** The digests of the parts that the file was merged from. Stored in the ledger; contains no secrets. */
type Merged = { readonly given: string; readonly mounted: string; readonly file: string }

const path = nodePaths.registryPullSecret
const secretMode = 0o600
/** Stands for the digest of a pull secret that the cluster does not specify. */
const givenNothing = sha256Hex('')

/** Credentials for the cluster's image registry, merged with the pull secret that is mounted for the node's role. */
export class PullSecretItem implements ItemHandler {
  readonly item = trustItems.pullSecret
  readonly source = configSource('internalRegistryPullSecret')
  readonly needsPayload = true
  readonly #options: PullSecretOptions
  readonly #merged: ItemNotes<Merged>

  constructor(options: PullSecretOptions) {
    this.#options = options
    this.#merged = options.ledger.notes<Merged>(this.item)
  }

  watched(): readonly string[] {
    return [path]
  }

  async observe(): Promise<ObservedItem> {
    const { files, ledger } = this.#options
    const { digest: file, mode } = await observeFile(files, path)
    const mounted = await this.#mounted()
    const digest =
      file === undefined || mode !== secretMode ? undefined : this.#givenFor(file, mounted)
    const writtenAt = ledger.writtenAt(path)
    const holding: Holding = {
      name: this.item,
      paths: [path],
      certificates: [],
      ...(digest !== undefined && { digest }),
      ...(writtenAt !== undefined && { writtenAt }),
    }
    return {
      holdings: [holding],
      ...(mounted && { local: givenNothing }),
      ...(digest !== undefined && { digest }),
    }
  }

  owns(): boolean {
    return this.#options.ledger.owns(path)
  }

  adopt(): void {
    this.#options.ledger.adopt(path)
  }

  async apply({ desired, payload }: ApplyRequest): Promise<ApplyResult> {
    const { files, ledger, clock } = this.#options
    const data = payload?.spec.internalRegistryPullSecret
    const given = data ? Buffer.from(data, 'base64') : undefined
    const mounted = await this.#mounted()
    if (!given && !mounted)
      throw new RefusedInput('the ControllerConfig has no spec.internalRegistryPullSecret')
    if (given) refuseBadPullSecret(given)
    const content = mounted ? mergedPullSecret(given, mounted) : given!
    await ledger.claim([path])
    await writeVerified(files, path, content, secretMode)
    ledger.recordWrite(path, timestamp(clock.now()))
    if (mounted) {
      const file = sha256Hex(content)
      await this.#merged.write({ given: desired, mounted: sha256Hex(mounted), file })
    }
    return { written: [this.item] }
  }

  async remove(): Promise<ApplyResult> {
    const { files, ledger } = this.#options
    await files.remove(path)
    ledger.disown(path)
    return { written: [this.item] }
  }

  /** The digest of the cluster's pull secret that this file was made from; undefined if the file has another origin. */
  #givenFor(file: string, mounted: Uint8Array | undefined): string | undefined {
    if (!mounted) return file
    const merged = this.#merged.read()
    const isThat = merged?.file === file && merged.mounted === sha256Hex(mounted)
    return isThat ? merged.given : undefined
  }

  async #mounted(): Promise<Uint8Array | undefined> {
    const { mounted, roles } = this.#options
    const present = new Set(await mounted.roles())
    if (present.size === 0) return undefined
    const own = roles()
    if (own === undefined) throw new RefusedInput('the roles of this node are not known yet')
    if (own.length === 0) {
      throw new RefusedInput('the Node has no role label, so no mounted pull secret applies to it')
    }
    for (const key of pullSecretKeys) {
      for (const role of own.filter((each) => present.has(each))) {
        const content = await mounted.read(role, key)
        if (content) return content
      }
    }
    return undefined
  }
}
