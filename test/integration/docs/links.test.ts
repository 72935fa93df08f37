import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const pages = globSync(['*.md', '{docs,src,packages,test,bench,deploy,templates}/**/*.md'], {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})

/** The lines of a page outside of code blocks. */
function proseOf(page: string): string[] {
  let isCode = false
  return readFileSync(join(root, page), 'utf8')
    .split('\n')
    .filter((line) => {
      const isFence = /^\s*```/.test(line)
      if (isFence) isCode = !isCode
      return !isFence && !isCode
    })
}

/** The anchors that hosts of Git repositories give to headings. */
function anchorsOf(page: string): string[] {
  return proseOf(page).flatMap((line) => {
    const [, heading] = /^#+ (.*)/.exec(line) ?? []
    const plain = heading?.trim().toLowerCase().replaceAll('`', '')
    return plain?.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-') ?? []
  })
}

const relativeLink = /\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]*))?\)/g

function brokenLinksOf(page: string): string[] {
  const links = proseOf(page).flatMap((line) => Array.from(line.matchAll(relativeLink)))
  return links.flatMap(([link, path = '', anchor]) => {
    const target = path === '' ? page : normalize(join(dirname(page), path))
    const isBroken =
      !existsSync(join(root, target)) ||
      (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor))
    return isBroken ? [`${page}: ${link}`] : []
  })
}

it('no page has a broken link', () => {
  expect(pages.length).toBeGreaterThan(150)
  expect(pages.flatMap(brokenLinksOf)).toEqual([])
})
