import { describe, expect, it } from 'vitest'
import { Refusal } from '../refusal.ts'
import { deleteOptions, numberOption, truthOption, writeOptions } from './request-options.ts'

const query = (text: string): URLSearchParams => new URLSearchParams(text)
const noWarning = (): void => {}

describe('options of a write', () => {
  it('have defaults', () => {
    const options = writeOptions(query(''), 'CreateOptions', 'kubectl/v1.32.4 (linux)', noWarning)
    expect(options).toMatchObject({
      dryRun: false,
      fieldManager: 'kubectl',
      fieldValidation: 'Warn',
    })
  })

  it('are what the query says', () => {
    const said = query('dryRun=All&fieldManager=me&fieldValidation=Strict')
    expect(writeOptions(said, 'UpdateOptions', 'kubectl', noWarning)).toMatchObject({
      dryRun: true,
      fieldManager: 'me',
      fieldValidation: 'Strict',
    })
  })
})

describe('options of a deletion', () => {
  it('are in the body, or else in the query', () => {
    const body = {
      propagationPolicy: 'Orphan',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u', resourceVersion: '7' },
      dryRun: ['All'],
    }
    expect(deleteOptions(query('propagationPolicy=Background'), body)).toEqual({
      dryRun: true,
      graceSeconds: 0,
      propagation: 'Orphan',
      uid: 'u',
      resourceVersion: '7',
    })
    expect(deleteOptions(query('gracePeriodSeconds=5'), undefined)).toMatchObject({
      dryRun: false,
      graceSeconds: 5,
      propagation: undefined,
    })
  })

  it('are refused when they say nothing that there is', () => {
    expect(() => deleteOptions(query('propagationPolicy=Maybe'), undefined)).toThrow(Refusal)
    expect(() => deleteOptions(query('gracePeriodSeconds=soon'), undefined)).toThrow(
      'strconv.ParseInt: parsing "soon": invalid syntax',
    )
  })
})

describe('single options', () => {
  it('are numbers or truths', () => {
    expect(numberOption(query('limit=5'), 'limit')).toBe(5)
    expect(numberOption(query(''), 'limit')).toBe(0)
    expect(
      ['watch', 'watch=1', 'watch=true'].map((text) => truthOption(query(text), 'watch')),
    ).toEqual([true, true, true])
    expect(['', 'watch=0', 'watch=false'].map((text) => truthOption(query(text), 'watch'))).toEqual(
      [false, false, false],
    )
  })
})
