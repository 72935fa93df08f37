import { sha256Hex } from '@machinist/core/encoding/digest'
import { messageOf } from '@machinist/core/errors'
import { timestamp } from '@machinist/core/timestamp'
import { hostsDigest, registryFiles } from '../../../api/trust/digests.ts'
import { registryItem, trustItems } from '../../../api/trust/items.ts'
import {
  hostOf,
  hostProblem,
  planRegistries,
  registryDirectory,
  registryPath,
} from '../../../fleet/trust/registries.ts'
import type { ItemOptions } from './bundle-item.ts'
import { configSource } from './bundle-item.ts'
import type { ApplyResult, Holding, ItemHandler, ObservedItem, ApplyRequest } from './item.ts'
import type { ObservedFile } from './trust-file.ts'
import { observeFile, writeVerified } from './trust-file.ts'

const publicMode = 0o644

interface Refusal {
  readonly digest: string
  readonly why: string
}

/** CAs of image registries: a directory per host. The lane owns only the hosts that the cluster specified. */
export class RegistryItem implements ItemHandler {
  readonly item = trustItems.registryCAs
  readonly source = configSource('imageRegistryBundleData')
  readonly needsPayload = true
  readonly #options: ItemOptions
  #found: ReadonlyMap<string, ObservedFile> = new Map()
  /** Hosts whose file cannot be read, with the reason. */
  #unreadable: ReadonlyMap<string, string> = new Map()
  /** Hosts with unusable content, which is not retried until the source changes. */
  #refused: ReadonlyMap<string, Refusal> = new Map()

  constructor(options: ItemOptions) {
    this.#options = options
  }

  watched(): readonly string[] {
    return this.#hosts().map(registryPath)
  }

  async observe(): Promise<ObservedItem> {
    const { files, ledger } = this.#options
    const found = new Map<string, ObservedFile>()
    const unreadable = new Map<string, string>()
    for (const host of this.#hosts()) {
      try {
        found.set(host, await observeFile(files, registryPath(host), this.#found.get(host)))
      } catch (error) {
        unreadable.set(host, messageOf(error))
      }
    }
    this.#found = found
    this.#unreadable = unreadable
    const left = this.#owned().filter((host) => !this.#isWanted(host))
    const given = Object.keys(ledger.registries).map((host) => this.#holding(host))
    // Refused hosts do not keep the item from being current: a retry cannot help.
    const isReached = given.every((each) => each.problem !== undefined || isAsWanted(each))
    const isKnown = unreadable.size === 0
    return {
      holdings: [...given, ...left.map((host) => this.#holding(host))],
      ...(left.length === 0 &&
        isReached &&
        isKnown && { digest: hostsDigest(Object.entries(ledger.registries)) }),
    }
  }

  owns(): boolean {
    return this.#owned().length > 0
  }

  async apply({ payload }: ApplyRequest): Promise<ApplyResult> {
    // Without the payload, all hosts would look removed.
    if (!payload) throw new Error('the ControllerConfig was not read')
    return this.#deliver(registryFiles(payload.spec))
  }

  remove(): Promise<ApplyResult> {
    return this.#deliver(new Map())
  }

  async #deliver(desired: ReadonlyMap<string, Uint8Array>): Promise<ApplyResult> {
    const { ledger } = this.#options
    const digests = new Map([...desired].map(([host, content]) => [host, sha256Hex(content)]))
    ledger.setRegistries(Object.fromEntries(digests))
    await this.observe()
    const owned = this.#owned()
    const plan = planRegistries({ desired, actual: this.#digests(), owned })
    this.#refused = new Map(
      [...plan.refused].map(([host, why]) => [host, { why, digest: digests.get(host)! }]),
    )
    for (const host of plan.adopt) ledger.adopt(registryPath(host))
    await ledger.claim(plan.write.map(registryPath))
    const written: string[] = []
    const failures = new Map<string, string>()
    const attempt = async (host: string, work: () => Promise<void>): Promise<void> => {
      try {
        await work()
        written.push(registryItem(host))
      } catch (error) {
        failures.set(registryItem(host), messageOf(error))
      }
    }
    for (const host of plan.remove) await attempt(host, () => this.#remove(host))
    for (const host of plan.write) await attempt(host, () => this.#write(host, desired.get(host)!))
    return { written, failures }
  }

  async #write(host: string, content: Uint8Array): Promise<void> {
    const { files, ledger, clock } = this.#options
    await writeVerified(files, registryPath(host), content, publicMode)
    ledger.recordWrite(registryPath(host), timestamp(clock.now()))
  }

  /** The directory stays if it contains other files. */
  async #remove(host: string): Promise<void> {
    const { files, ledger } = this.#options
    await files.remove(registryPath(host))
    await files.removeDirectory(registryDirectory(host))
    ledger.disown(registryPath(host))
  }

  #holding(host: string): Holding {
    const { ledger } = this.#options
    const desired = this.#isWanted(host) ? ledger.registries[host] : undefined
    const { digest, certificates = [] } = this.#found.get(host) ?? {}
    const writtenAt = ledger.writtenAt(registryPath(host))
    const problem = hostProblem(host) ?? this.#refusal(host, desired) ?? this.#unreadable.get(host)
    return {
      name: registryItem(host),
      paths: hostProblem(host) === undefined ? [registryPath(host)] : [],
      certificates,
      ...(desired !== undefined && { desired }),
      ...(digest !== undefined && { digest }),
      ...(writtenAt !== undefined && { writtenAt }),
      ...(problem !== undefined && { problem }),
    }
  }

  #isWanted(host: string): boolean {
    return Object.hasOwn(this.#options.ledger.registries, host)
  }

  #refusal(host: string, desired: string | undefined): string | undefined {
    const refusal = this.#refused.get(host)
    return refusal && refusal.digest === desired ? refusal.why : undefined
  }

  #digests(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#found].flatMap(([host, { digest }]) =>
        digest === undefined ? [] : [[host, digest]],
      ),
    )
  }

  /** All hosts whose files may be on this disk. */
  #hosts(): string[] {
    const desired = Object.keys(this.#options.ledger.registries)
    return [...new Set([...desired, ...this.#owned()])].filter((host) => !hostProblem(host))
  }

  #owned(): string[] {
    return this.#options.ledger.owned().flatMap((path) => hostOf(path) ?? [])
  }
}

const isAsWanted = ({ digest, desired }: Holding): boolean => digest === desired
