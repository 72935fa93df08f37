import { isUtf8 } from 'node:buffer'
import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { InvalidInput, messageOf } from '@machinist/core/errors'
import type { TemplateSet } from '../controllers/template/template-set.ts'
import { readTemplates } from '../controllers/template/template-set.ts'
import { shipped } from './shipped.ts'

/** Maximum size of a template; a typical one has a few kilobytes. */
const maxTemplateBytes = 1024 * 1024

/**
 * The built-in templates with the overrides of the directories: a file replaces the one with the same path in an earlier directory.
 * A file that is not a template is an error.
 */
export async function loadTemplates(directories: readonly string[] = []): Promise<TemplateSet> {
  const sources = new Map<string, string>()
  for (const directory of [shipped('templates'), ...directories]) {
    const found = await templatesIn(directory)
    // Each directory is parsed separately first, so that an error names it.
    namingDirectory(directory, () => readTemplates(found))
    for (const [path, text] of found) sources.set(path, text)
  }
  return readTemplates(sources)
}

async function templatesIn(directory: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const entry of await entriesIn(directory)) {
    if (entry.isDirectory()) continue
    const file = join(entry.parentPath, entry.name)
    const path = relative(directory, file).split(sep).join('/')
    // Documentation of the templates.
    if (path === 'README.md') continue
    if (!entry.isFile()) {
      throw new InvalidInput(`${file}: not a file or a directory; links are not followed`)
    }
    found.set(path, await textOf(file))
  }
  return found
}

async function entriesIn(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { recursive: true, withFileTypes: true })
  } catch (error) {
    throw new InvalidInput(`cannot read templates in ${directory}: ${messageOf(error)}`)
  }
}

async function textOf(file: string): Promise<string> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    throw new InvalidInput(`cannot read template ${file}: ${messageOf(error)}`)
  }
  if (bytes.length > maxTemplateBytes) {
    throw new InvalidInput(`template ${file} has more than ${maxTemplateBytes} bytes`)
  }
  if (!isUtf8(bytes)) throw new InvalidInput(`template ${file} is not UTF-8 text`)
  return bytes.toString('utf8')
}

function namingDirectory(directory: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    throw new InvalidInput(`templates in ${directory}: ${error.message}`)
  }
}
