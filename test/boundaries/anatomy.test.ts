import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anatomyProblems, parseFile, readRooms } from './anatomy.ts'

const root = join(import.meta.dirname, '../..')

describe('every controller', () => {
  it('has the same files and takes the same steps', () => {
    expect(anatomyProblems(readRooms(root))).toEqual([])
  })
})

describe('the anatomy check', () => {
  const step = (...names: string[]) =>
    `stepController(context, { ${names.map((name) => `${name}: 1`).join(', ')} })`
  const files = (...names: string[]) =>
    names.map((name) => parseFile(`controllers/drain/${name}.ts`, ''))

  it('sees missing files', () => {
    const drain = parseFile('controllers/drain/drain.ts', step('gather', 'decide', 'act', 'report'))
    expect(anatomyProblems([drain, ...files('inputs', 'gather')])).toEqual([
      'controllers/drain has no facts.ts',
      'controllers/drain has no decide.ts',
      'controllers/drain has no act.ts',
      'controllers/drain has no report.ts',
    ])
  })

  it('accepts a folder for a step, and facts of the fleet room', () => {
    const drain = parseFile('controllers/drain/drain.ts', step('gather', 'decide', 'announce'))
    const rest = [
      ...files('inputs', 'gather/gather', 'decide/decide', 'report'),
      parseFile('fleet/drain/facts.ts', ''),
    ]
    expect(anatomyProblems([drain, ...rest])).toEqual([])
  })

  it('sees a controller in a file with another name, and steps in another order', () => {
    const all = files('drain', 'inputs', 'gather', 'facts', 'decide')
    const uncordon = parseFile('controllers/drain/uncordon.ts', step('decide', 'gather'))
    expect(anatomyProblems([...all, uncordon])).toEqual([
      'controllers/drain/uncordon.ts creates a controller: it belongs in controllers/drain/drain.ts',
      'controllers/drain/uncordon.ts lists decide, gather: the order is gather, decide',
    ])
  })

  it('sees a reconcile of its own, as method and as property', () => {
    const sources = [
      parseFile('signer/a.ts', 'class A { async reconcile() {} }'),
      parseFile('signer/b.ts', 'const b = { reconcile: () => 1 }'),
      parseFile('fleet/c.ts', 'const c = { reconcile: () => 1 }'),
    ]
    expect(anatomyProblems(sources)).toEqual([
      'signer/a.ts has a reconcile of its own: use stepController',
      'signer/b.ts has a reconcile of its own: use stepController',
    ])
  })

  it('sees interfaces that repeat the tools of a controller', () => {
    const three = 'interface X { readonly client: KubeClient; clock: Clock; log: Logger }'
    const two = 'interface Y { readonly client: KubeClient; clock: Clock; log: string }'
    expect(anatomyProblems([parseFile('operator/a.ts', `${three}; ${two}`)])).toEqual([
      'operator/a.ts declares client, clock, log in X: extend or pick ControllerContext or StepContext',
    ])
  })
})
