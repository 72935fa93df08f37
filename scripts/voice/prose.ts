import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

/** A piece of prose and the place where it begins. */
export interface Prose {
  readonly file: string
  readonly line: number
  readonly text: string
}

export type ProseKind = 'comments' | 'docs' | 'titles' | 'messages'

/** Texts that are generated, licensed or recorded, and so not written by hand. */
const others = /^(LICENSE|CHANGELOG\.md|CODE_OF_CONDUCT\.md|docs\/(api\/|cli\.md|glossary\.md))/

export function proseIn(root: string, below = ''): Readonly<Record<ProseKind, readonly Prose[]>> {
  const found: Record<ProseKind, Prose[]> = { comments: [], docs: [], titles: [], messages: [] }
  const code = '{src,packages,test,bench,scripts}/**/*.ts'
  for (const file of filesIn(root, [code, '*.ts'], below)) readCode(root, file, found)
  const pages = ['*.md', '{docs,src,packages,test,bench,deploy,templates}/**/*.md']
  for (const file of filesIn(root, pages, below)) {
    if (!others.test(file)) found.docs.push(...markdownProse(file, read(root, file)))
  }
  return found
}

function filesIn(root: string, patterns: readonly string[], below: string): string[] {
  const exclude = (path: string): boolean => path.split('/').includes('node_modules')
  return globSync([...patterns], { cwd: root, exclude })
    .filter((file) => file.startsWith(below))
    .sort()
}

const read = (root: string, file: string): string => readFileSync(join(root, file), 'utf8')

function readCode(root: string, file: string, found: Record<ProseKind, Prose[]>): void {
  const text = read(root, file)
  const { comments, program } = parseSync(file, text)
  const lineAt = lineFinder(text)
  for (const { value, start } of comments) {
    found.comments.push({ file, line: lineAt(start), text: commentText(value) })
  }
  const isTest = /\.(test|cases|conformance)\.ts$|^test\/|\/test\/|\/conformance\//.test(file)
  walk(program, (node) => {
    const title = titleOf(node)
    if (title) found.titles.push({ file, line: lineAt(title.start), text: title.text })
    else if (!isTest && !file.startsWith('bench/')) {
      const message = messageOf(node)
      if (message !== undefined) {
        found.messages.push({ file, line: lineAt(node['start'] as number), text: message })
      }
    }
  })
}

/** Without the stars of a block, and without code in backticks. */
const commentText = (text: string): string => withoutCode(text.replaceAll(/^\s*\*+ ?/gm, '')).trim()

const withoutCode = (text: string): string => text.replaceAll(/`[^`]*`/g, '`')

interface Syntax {
  readonly type: string
  readonly [key: string]: unknown
}

const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string'

function walk(node: unknown, visit: (node: Syntax) => void): void {
  if (!isSyntax(node)) return
  visit(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) walk(child, visit)
  }
}

/** The title of a test: `it('…', …)`, `describe.each(…)('…', …)`. */
function titleOf(node: Syntax): { readonly text: string; readonly start: number } | undefined {
  if (node.type !== 'CallExpression' || !isTestFunction(node['callee'])) return undefined
  const [title] = node['arguments'] as unknown[]
  const text = isSyntax(title) ? textOf(title) : undefined
  return text === undefined ? undefined : { text, start: (title as Syntax)['start'] as number }
}

function isTestFunction(callee: unknown): boolean {
  if (!isSyntax(callee)) return false
  if (callee.type === 'Identifier') return /^(it|test|describe)$/.test(callee['name'] as string)
  const inner = callee.type === 'CallExpression' ? callee['callee'] : callee['object']
  return inner !== undefined && isTestFunction(inner)
}

/** A text of several words: a message, a help text, a description. */
function messageOf(node: Syntax): string | undefined {
  const text = textOf(node)
  return text !== undefined && /[a-z]+ [a-z]+/i.test(text) ? withoutCode(text) : undefined
}

function textOf(node: Syntax): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  if (node.type !== 'TemplateLiteral') return undefined
  const parts = node['quasis'] as { readonly value: { readonly raw: string } }[]
  return parts.map(({ value }) => value.raw).join('…')
}

/** Paragraph by paragraph, without code blocks, links' targets and HTML comments. */
export function markdownProse(file: string, text: string): Prose[] {
  const found: Prose[] = []
  let isCode = false
  for (const [index, line] of text.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
    else if (!isCode && line.trim() !== '') {
      const plain = withoutCode(line).replaceAll(/\]\([^)]*\)/g, ']')
      found.push({ file, line: index + 1, text: plain })
    }
  }
  return found
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }
}
