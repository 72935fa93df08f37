import { hostsDigest, registryFiles } from '../../api/trust/digests.ts'
import { registryItem, trustItems } from '../../api/trust/items.ts'
import { sha256Hex } from '@machinist/core/digest'
import { messageOf } from '@machinist/core/errors'
import type { ItemOptions } from './bundle-item.ts'
import { configSource } from './bundle-item.ts'
import type { Applied, Holding, ItemHandler, Look, Order } from './item.ts'
import {
  hostOf,
  hostProblem,
  planRegistries,
  registryDirectory,
  registryPath,
} from './registries.ts'
import { timestamp } from '@machinist/core/timestamp'
import type { FoundFile } from './trust-file.ts'
import { lookAtFile, putFile } from './trust-file.ts'

const publicMode = 0o644

interface Refusal {
  readonly digest: string
  readonly why: string
}

/** CAs of image registries: a directory per host, of which only those that the cluster gave are ours. */
export class RegistryItem implements ItemHandler {
  readonly item = trustItems.registryCAs
  readonly source = configSource('imageRegistryBundleData')
  readonly needsPayload = true
  readonly #options: ItemOptions
  #found: ReadonlyMap<string, FoundFile> = new Map()
  /** By host: why nobody can say what is there. */
  #unreadable: ReadonlyMap<string, string> = new Map()
  /** By host: what is not even tried again until something else is given. */
  #refused: ReadonlyMap<string, Refusal> = new Map()

  constructor(options: ItemOptions) {
    this.#options = options
  }

  watched(): readonly string[] {
    return this.#hosts().map(registryPath)
  }

  async look(): Promise<Look> {
    const { files, ledger } = this.#options
    const found = new Map<string, FoundFile>()
    const unreadable = new Map<string, string>()
    for (const host of this.#hosts()) {
      try {
        found.set(host, await lookAtFile(files, registryPath(host), this.#found.get(host)))
      } catch (error) {
        unreadable.set(host, messageOf(error))
      }
    }
    this.#found = found
    this.#unreadable = unreadable
    const left = this.#owned().filter((host) => !this.#isWanted(host))
    const given = Object.keys(ledger.registries).map((host) => this.#holding(host))
    // Nothing more can be done about those that were refused.
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

  async apply({ payload }: Order): Promise<Applied> {
    // As if there were none, all of them would go.
    if (!payload) throw new Error('the ControllerConfig was not read')
    return this.#bring(registryFiles(payload.spec))
  }

  remove(): Promise<Applied> {
    return this.#bring(new Map())
  }

  async #bring(wanted: ReadonlyMap<string, Uint8Array>): Promise<Applied> {
    const { ledger } = this.#options
    const digests = new Map([...wanted].map(([host, content]) => [host, sha256Hex(content)]))
    ledger.wantRegistries(Object.fromEntries(digests))
    await this.look()
    const owned = this.#owned()
    const plan = planRegistries({ wanted, actual: this.#digests(), owned })
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
    for (const host of plan.write) await attempt(host, () => this.#write(host, wanted.get(host)!))
    return { written, failures }
  }

  async #write(host: string, content: Uint8Array): Promise<void> {
    const { files, ledger, clock } = this.#options
    await putFile(files, registryPath(host), content, publicMode)
    ledger.wrote(registryPath(host), timestamp(clock.now()))
  }

  /** The directory stays if somebody has put something else there. */
  async #remove(host: string): Promise<void> {
    const { files, ledger } = this.#options
    await files.remove(registryPath(host))
    await files.removeDirectory(registryDirectory(host))
    ledger.disown(registryPath(host))
  }

  #holding(host: string): Holding {
    const { ledger } = this.#options
    const wanted = this.#isWanted(host) ? ledger.registries[host] : undefined
    const { digest, certificates = [] } = this.#found.get(host) ?? {}
    const writtenAt = ledger.writtenAt(registryPath(host))
    const problem = hostProblem(host) ?? this.#refusal(host, wanted) ?? this.#unreadable.get(host)
    return {
      name: registryItem(host),
      paths: hostProblem(host) === undefined ? [registryPath(host)] : [],
      certificates,
      ...(wanted !== undefined && { wanted }),
      ...(digest !== undefined && { digest }),
      ...(writtenAt !== undefined && { writtenAt }),
      ...(problem !== undefined && { problem }),
    }
  }

  #isWanted(host: string): boolean {
    return Object.hasOwn(this.#options.ledger.registries, host)
  }

  #refusal(host: string, wanted: string | undefined): string | undefined {
    const refusal = this.#refused.get(host)
    return refusal && refusal.digest === wanted ? refusal.why : undefined
  }

  #digests(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#found].flatMap(([host, { digest }]) =>
        digest === undefined ? [] : [[host, digest]],
      ),
    )
  }

  /** All that this disk may hold of us. */
  #hosts(): string[] {
    const wanted = Object.keys(this.#options.ledger.registries)
    return [...new Set([...wanted, ...this.#owned()])].filter((host) => !hostProblem(host))
  }

  #owned(): string[] {
    return this.#options.ledger.owned().flatMap((path) => hostOf(path) ?? [])
  }
}

const isAsWanted = ({ digest, wanted }: Holding): boolean => digest === wanted
