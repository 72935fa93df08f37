import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseSync } from 'oxc-parser'
import type { Syntax } from './source.ts'
import { isSyntax, nameOf, walk } from './source.ts'

/** The rooms whose controllers have one anatomy. */
const rooms = ['controllers', 'operator', 'signer', 'daemon']

/** The properties of a controller, in the order in which every factory has them. */
const order = [
  'name',
  'inputs',
  'outputs',
  'workers',
  'timeoutMs',
  'gather',
  'decide',
  'announce',
  'act',
  'report',
  'next',
  'recover',
  'forget',
]

/** Files that every controller has. */
const required = ['inputs', 'gather', 'facts', 'decide']
/** Files of steps that not every controller has. */
const files: Readonly<Record<string, string>> = { announce: 'report', act: 'act', report: 'report' }

const tools: Readonly<Record<string, string>> = {
  client: 'KubeClient',
  clock: 'Clock',
  random: 'Random',
  log: 'Logger',
  metrics: 'Metrics',
  events: 'EventRecorder',
}

/** More declarations of tools than this in one interface repeat ControllerContext. */
const mostTools = 2

export interface RoomFile {
  /** The room and the path in it: `controllers/render/render.ts`. */
  readonly path: string
  readonly program: Syntax
}

export function readRooms(root: string): RoomFile[] {
  const paths = globSync(
    [...rooms, 'fleet'].map((room) => `${room}/**/*.ts`),
    { cwd: join(root, 'src') },
  )
  return paths
    .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
    .sort()
    .map((path) => parseFile(path, readFileSync(join(root, 'src', path), 'utf8')))
}

export const parseFile = (path: string, text: string): RoomFile => ({
  path,
  program: parseSync(path, text).program as unknown as Syntax,
})

/** Every deviation from the anatomy of a controller, as a sentence. */
export function anatomyProblems(sources: readonly RoomFile[]): string[] {
  const paths = new Set(sources.map(({ path }) => path))
  return sources
    .filter(({ path }) => rooms.includes(path.split('/', 1)[0]!))
    .flatMap((source) =>
      stepsIn(source)
        .flatMap((steps) => controllerProblems(source.path, steps, paths))
        .concat(ownReconciles(source), repeatedTools(source)),
    )
}

function controllerProblems(
  path: string,
  steps: readonly string[],
  paths: ReadonlySet<string>,
): string[] {
  const folder = dirname(path)
  const name = basename(folder)
  const problems: string[] = []
  if (basename(path) !== `${name}.ts`) {
    problems.push(`${path} creates a controller: it belongs in ${folder}/${name}.ts`)
  }
  const sorted = order.filter((step) => steps.includes(step))
  if (sorted.join() !== steps.join()) {
    problems.push(`${path} lists ${steps.join(', ')}: the order is ${sorted.join(', ')}`)
  }
  const needed = new Set([...required, ...steps.flatMap((step) => files[step] ?? [])])
  for (const step of needed) {
    const places = [`${folder}/${step}.ts`, `${folder}/${step}/${step}.ts`]
    if (step === 'facts') places.push(`fleet/${name}/facts.ts`)
    if (!places.some((place) => paths.has(place))) problems.push(`${folder} has no ${step}.ts`)
  }
  return problems
}

/** The property names of every `stepController(context, { … })`. */
function stepsIn({ program }: RoomFile): string[][] {
  const found: string[][] = []
  walk(program, (node) => {
    if (node.type !== 'CallExpression' || nameOf(node['callee']) !== 'stepController') return
    const [, steps] = node['arguments'] as unknown[]
    if (!isSyntax(steps) || steps.type !== 'ObjectExpression') return
    const properties = (steps['properties'] as Syntax[]).filter(({ type }) => type === 'Property')
    found.push(properties.map((property) => nameOf(property['key']) ?? ''))
  })
  return found
}

/** Reconciles that do not take the steps. */
function ownReconciles({ path, program }: RoomFile): string[] {
  const problems: string[] = []
  walk(program, (node) => {
    const isMember = node.type === 'Property' || node.type === 'MethodDefinition'
    if (!isMember || nameOf(node['key']) !== 'reconcile') return
    problems.push(`${path} has a reconcile of its own: use stepController`)
  })
  return problems
}

/** Interfaces that declare the tools of a controller once more. */
function repeatedTools({ path, program }: RoomFile): string[] {
  const problems: string[] = []
  walk(program, (node) => {
    if (node.type !== 'TSInterfaceDeclaration') return
    const members = ((node['body'] as Syntax)['body'] as Syntax[]).filter(isTool)
    if (members.length <= mostTools) return
    const declared = members.map((member) => nameOf(member['key'])).join(', ')
    const advice = 'extend or pick ControllerContext or StepContext'
    problems.push(`${path} declares ${declared} in ${nameOf(node['id'])}: ${advice}`)
  })
  return problems
}

function isTool(member: Syntax): boolean {
  const type = tools[nameOf(member['key']) ?? '']
  const annotation = member['typeAnnotation'] as Syntax | undefined
  const declared = annotation?.['typeAnnotation'] as Syntax | undefined
  return type !== undefined && nameOf(declared?.['typeName']) === type
}
