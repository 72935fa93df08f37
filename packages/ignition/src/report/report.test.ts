import { describe, expect, it } from 'vitest'
import { entryText, pathText, Place, Report } from './report.ts'

describe('Report', () => {
  it('is fatal with an error, but not with warnings', () => {
    const report = new Report()
    report.add('info', [], 'a')
    report.add('warning', [], 'b')
    expect(report.fatal).toBe(false)
    report.add('error', [], 'c')
    expect(report.fatal).toBe(true)
  })
})

describe('Place', () => {
  it('adds findings with its path', () => {
    const report = new Report()
    const files = new Place(report).at('storage', 'files')
    files.at(2, 'mode').error('is odd')
    files.at(0).warn('is old')
    expect(report.entries).toEqual([
      { level: 'error', path: ['storage', 'files', 2, 'mode'], message: 'is odd' },
      { level: 'warning', path: ['storage', 'files', 0], message: 'is old' },
    ])
  })
})

describe('texts', () => {
  it.each([
    [[], '$'],
    [['storage', 'files', 2, 'mode'], '$.storage.files[2].mode'],
    [['a.b', '', 'ä', 'x-y', '"'], '$["a.b"][""]["ä"].x-y["\\""]'],
  ])('%j is %s', (path, text) => {
    expect(pathText(path)).toBe(text)
  })

  it('contain level, path and message in one line', () => {
    const entry = { level: 'error', path: ['a', 1], message: 'is odd' } as const
    expect(entryText(entry)).toBe('error at $.a[1]: is odd')
    expect(entryText({ ...entry, position: { line: 3, column: 7 } })).toBe(
      'error at $.a[1] (line 3, column 7): is odd',
    )
  })
})
