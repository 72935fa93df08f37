import { unitPath } from '../../api/node-paths.ts'
import { ConfigContents } from './config-contents.ts'
import type { Backup, ContentSource, Intent } from './intent.ts'
import type { Journal } from './journal.ts'

/** Where the bytes are that an intent speaks of. */
export class NotedContents {
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
    return this.#wanted().content(source)
  }

  /** Whether the config that is coming has a file for this unit. */
  bringsUnit(unit: string): boolean {
    return this.#wanted().paths().has(unitPath(unit))
  }

  async backup(backup: Backup): Promise<Uint8Array> {
    if (backup.in === 'copy') return this.#journal.copy(backup.number)
    if (backup.in === 'note') return Buffer.from(backup.base64, 'base64')
    this.#current ??= new ConfigContents(this.#intent.update.current)
    return this.#current.content(backup.source)
  }

  #wanted(): ConfigContents {
    this.#desired ??= new ConfigContents(this.#intent.update.desired)
    return this.#desired
  }
}
