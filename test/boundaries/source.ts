import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface SourceFile {
  /** Its room or package, then the path in it, with forward slashes: `kube/client.ts`. */
  readonly path: string
  /** Every module it imports, type imports included; modules of rooms and packages as such paths. */
  readonly imports: readonly string[]
  /** The imports that exist at run time: all but type imports. */
  readonly loads: readonly string[]
  /** The modules of its import declarations as written, in their order. */
  readonly written: readonly string[]
  /** Global names, members and argument-less constructions it uses: `setTimeout`, `Date.now`, `new Date()`. */
  readonly uses: ReadonlySet<string>
  /** Its regular expressions, as literals or as `new RegExp` of a text. */
  readonly patterns: readonly Pattern[]
}

export interface Pattern {
  readonly pattern: string
  readonly flags: string
}

/** All files of the product, in rooms and packages. Tests and fixtures beside the code are exempt. */
export function readSources(root: string): SourceFile[] {
  return globSync(['src/**/*.{ts,tsx}', 'packages/*/src/**/*.ts'], { cwd: root })
    .filter((path) => !isForTests(path))
    .sort()
    .map((path) => parseSource(placeOf(path), readFileSync(join(root, path), 'utf8')))
}

const isForTests = (path: string): boolean =>
  /\.(test|fixture)\.tsx?$/.test(path) || path.startsWith('packages/testing/')

/** `packages/kube/src/client.ts` is `kube/client.ts`, `src/api/names.ts` is `api/names.ts`. */
const placeOf = (path: string): string =>
  path.replace(/^packages\/([^/]+)\/src\//, '$1/').replace(/^src\//, '')

export function parseSource(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text)
  if (parsed.errors.length > 0) throw new Error(`${path}: ${parsed.errors[0]!.message}`)
  const imports = new Set<string>()
  const loads = new Set<string>()
  const uses = new Set<string>()
  const patterns: Pattern[] = []
  const written: string[] = []
  walk(parsed.program as unknown as Syntax, (node) => {
    const named = moduleNamedBy(node)
    if (named !== undefined) {
      imports.add(resolve(path, named))
      if (!isTypeOnly(node)) loads.add(resolve(path, named))
    }
    if (named !== undefined && node.type === 'ImportDeclaration') written.push(named)
    for (const use of usesOf(node)) uses.add(use)
    const pattern = patternOf(node)
    if (pattern) patterns.push(pattern)
  })
  return { path, imports: [...imports], loads: [...loads], written, uses, patterns }
}

/** A node of the syntax tree, as loosely as this reader needs it. */
export interface Syntax {
  readonly type: string
  readonly [key: string]: unknown
}

export function walk(node: Syntax, visit: (node: Syntax) => void): void {
  visit(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isSyntax(child)) walk(child, visit)
    }
  }
}

function moduleNamedBy(node: Syntax): string | undefined {
  const declarations = [
    'ImportDeclaration',
    'ExportNamedDeclaration',
    'ExportAllDeclaration',
    'ImportExpression',
    'TSImportType',
  ]
  if (declarations.includes(node.type)) return textOf(node['source'])
  const isBuiltinLookup =
    node.type === 'CallExpression' && memberText(node['callee']) === 'process.getBuiltinModule'
  return isBuiltinLookup ? textOf((node['arguments'] as unknown[])[0]) : undefined
}

function patternOf(node: Syntax): Pattern | undefined {
  if (node.type === 'Literal' && node['regex']) return node['regex'] as Pattern
  const isMade = node.type === 'NewExpression' && nameOf(node['callee']) === 'RegExp'
  const [pattern, flags] = isMade ? (node['arguments'] as unknown[]).map(textOf) : []
  return pattern === undefined ? undefined : { pattern, flags: flags ?? '' }
}

const isTypeOnly = (node: Syntax): boolean =>
  node['importKind'] === 'type' || node['exportKind'] === 'type' || node.type === 'TSImportType'

function usesOf(node: Syntax): string[] {
  if (node.type === 'MemberExpression') return [memberText(node) ?? ''].filter(Boolean)
  if (node.type === 'NewExpression' && (node['arguments'] as unknown[]).length === 0) {
    return [`new ${nameOf(node['callee'])}()`]
  }
  if (node.type === 'CallExpression') return [nameOf(node['callee']) ?? ''].filter(Boolean)
  return []
}

function memberText(node: unknown): string | undefined {
  if (!isSyntax(node) || node.type !== 'MemberExpression') return undefined
  const object = nameOf(node['object'])
  const property = nameOf(node['property']) ?? textOf(node['property'])
  return object && property ? `${object}.${property}` : undefined
}

export const isSyntax = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string'

export const nameOf = (node: unknown): string | undefined =>
  isSyntax(node) && node.type === 'Identifier' ? (node['name'] as string) : undefined

export const textOf = (node: unknown): string | undefined =>
  isSyntax(node) && typeof node['value'] === 'string' ? node['value'] : undefined

function resolve(from: string, named: string): string {
  if (named.startsWith('.')) return normalize(join(dirname(from), named))
  const [, inPackage] = /^@machinist\/(.+)$/.exec(named) ?? []
  return inPackage === undefined ? named : `${inPackage}.ts`
}
