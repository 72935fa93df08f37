import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { differences } from './differences.ts'

/** `topic: case` of every case, read from the files, since running them requires servers. */
function caseIds(): string[] {
  const files = globSync('**/*.conformance.ts', { cwd: import.meta.dirname })
  return files.flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8')
    return text
      .split(/^conformance\(/m)
      .slice(1)
      .flatMap((part) => {
        const topic = /^'([^']+)'/.exec(part)?.[1]
        const titles = part.matchAll(/^ {2}it\(\s*'([^']+)'/gm)
        return Array.from(titles, ([, title]) => `${topic}: ${title}`)
      })
  })
}

describe('the list of differences', () => {
  const ids = caseIds()

  it('has a unique id for every case', () => {
    expect(ids.length).toBeGreaterThan(200)
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  })

  it('contains only existing cases, with a reason', () => {
    expect(Object.keys(differences).filter((id) => !ids.includes(id))).toEqual([])
    expect(Object.values(differences).filter((why) => why.length < 10)).toEqual([])
  })
})
