import { nodePaths } from '../../api/node-paths.ts'
import { trustItems } from '../../api/trust/items.ts'
import { sha256Hex } from '@machinist/core/digest'
import type { MountedSecrets } from '../host/mounted-secrets.ts'
import type { ItemOptions } from './bundle-item.ts'
import { configSource } from './bundle-item.ts'
import type { Applied, Holding, ItemHandler, Look, Notes, Order } from './item.ts'
import { Refused } from './item.ts'
import { mergedPullSecret, pullSecretKeys, refuseBadPullSecret } from './pull-secret.ts'
import { timestamp } from '@machinist/core/timestamp'
import { lookAtFile, putFile } from './trust-file.ts'

export interface PullSecretOptions extends Omit<ItemOptions, 'alone'> {
  readonly mounted: MountedSecrets
  /** Those of the node, in the order in which their secrets count; undefined while the Node is not known. */
  readonly roles: () => readonly string[] | undefined
}

/** Of which the file was made, when it was made of more than what the cluster gives: digests, no secrets. */
type Merged = { readonly given: string; readonly mounted: string; readonly file: string }

const path = nodePaths.registryPullSecret
const secretMode = 0o600
/** The digest of what a cluster gives that gives nothing. */
const givenNothing = sha256Hex('')

/** Credentials for the cluster's own image registry, together with those that are mounted for the node's role. */
export class PullSecretItem implements ItemHandler {
  readonly item = trustItems.pullSecret
  readonly source = configSource('internalRegistryPullSecret')
  readonly needsPayload = true
  readonly #options: PullSecretOptions
  readonly #merged: Notes<Merged>

  constructor(options: PullSecretOptions) {
    this.#options = options
    this.#merged = options.ledger.notes<Merged>(this.item)
  }

  watched(): readonly string[] {
    return [path]
  }

  async look(): Promise<Look> {
    const { files, ledger } = this.#options
    const { digest: file, mode } = await lookAtFile(files, path)
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

  async apply({ wanted, payload }: Order): Promise<Applied> {
    const { files, ledger, clock } = this.#options
    const data = payload?.spec.internalRegistryPullSecret
    const given = data ? Buffer.from(data, 'base64') : undefined
    const mounted = await this.#mounted()
    if (!given && !mounted) throw new Refused('the ControllerConfig has none of it')
    if (given) refuseBadPullSecret(given)
    const content = mounted ? mergedPullSecret(given, mounted) : given!
    await ledger.claim([path])
    await putFile(files, path, content, secretMode)
    ledger.wrote(path, timestamp(clock.now()))
    if (mounted) {
      const file = sha256Hex(content)
      await this.#merged.write({ given: wanted, mounted: sha256Hex(mounted), file })
    }
    return { written: [this.item] }
  }

  async remove(): Promise<Applied> {
    const { files, ledger } = this.#options
    await files.remove(path)
    ledger.disown(path)
    return { written: [this.item] }
  }

  /** The digest of what the cluster gave when this file was made; undefined if it was made of something else. */
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
    if (own === undefined) throw new Refused('the roles of this node are not known yet')
    if (own.length === 0) {
      throw new Refused('the Node has no role label, so no mounted pull secret is for it')
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
