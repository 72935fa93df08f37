import { unitPath } from '../../../api/node-paths.ts'
import type { Backup, ContentSource, Intent } from '../intent.ts'
import { ConfigContents } from './config-contents.ts'
import type { Journal } from './journal.ts'

/** Reads the contents that an intent refers to. */
export class IntentContents {
  readonly #journal: Journal
  readonly #intent: Intent
  #current: ConfigContents | undefined
  #desired: ConfigContents | undefined

  constructor(journal: Journal, intent: Intent) {
    this.#journal = journal
    this.#intent = intent
  }

  async content(source: ContentSource): Promise<Uint8Array> {
    if (source.from === 'backup') return this.backup(source.backup)
    if (source.from === 'text') return Buffer.from(source.text)
    return this.#desiredContents().content(source)
  }

  /** Whether the desired config contains a file for this unit. */
  hasUnitFile(unit: string): boolean {
    return this.#desiredContents().paths().has(unitPath(unit))
  }

  async backup(backup: Backup): Promise<Uint8Array> {
    if (backup.in === 'copy') return this.#journal.copy(backup.number)
    if (backup.in === 'note') return Buffer.from(backup.base64, 'base64')
    this.#current ??= new ConfigContents(this.#intent.update.current)
    return this.#current.content(backup.source)
  }

  #desiredContents(): ConfigContents {
    this.#desired ??= new ConfigContents(this.#intent.update.desired)
    return this.#desired
  }
}
