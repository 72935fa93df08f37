import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { thrownBy } from '@machinist/testing/thrown-by'
import { StatusError } from '../status/status-error.ts'
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

  it('are parsed from the query', () => {
    const reported = query('dryRun=All&fieldManager=me&fieldValidation=Strict')
    expect(writeOptions(reported, 'UpdateOptions', 'kubectl', noWarning)).toMatchObject({
      dryRun: true,
      fieldManager: 'me',
      fieldValidation: 'Strict',
    })
  })
})

describe('options of a deletion', () => {
  it('are in the body, or in the query without a body', () => {
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
    expect(deleteOptions(query('dryRun=All&propagationPolicy=Maybe'), {})).toEqual({
      dryRun: false,
    })
    expect(deleteOptions(query('gracePeriodSeconds=5&dryRun=All'), undefined)).toEqual({
      dryRun: true,
      graceSeconds: 5,
    })
  })

  it('have a grace period of at least a second if negative', () => {
    expect(deleteOptions(query(''), { gracePeriodSeconds: -5 }).graceSeconds).toBe(1)
    expect(deleteOptions(query('gracePeriodSeconds=-1'), undefined).graceSeconds).toBe(1)
  })

  it('support the deprecated orphanDependents', () => {
    const propagation = (orphanDependents: boolean | null): unknown =>
      deleteOptions(query(''), { orphanDependents }).propagation
    expect([true, false, null].map(propagation)).toEqual(['Orphan', 'Background', undefined])
    expect(deleteOptions(query('orphanDependents=true'), undefined).propagation).toBe('Orphan')
    expect(() =>
      deleteOptions(query(''), { orphanDependents: true, propagationPolicy: 'Orphan' }),
    ).toThrow(
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    )
  })

  it('are rejected with unknown values', () => {
    expect(() => deleteOptions(query('propagationPolicy=Maybe'), undefined)).toThrow(
      'propagationPolicy: Unsupported value: "Maybe": supported values: "Foreground", "Background", "Orphan", "nil"',
    )
    expect(() => deleteOptions(query('gracePeriodSeconds=soon'), undefined)).toThrow(
      'strconv.ParseInt: parsing "soon": invalid syntax',
    )
  })

  it.for([
    [
      { gracePeriodSeconds: 'x' },
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      { gracePeriodSeconds: 1.5 },
      'json: cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      { dryRun: 'All' },
      'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string',
    ],
    [
      { preconditions: { uid: 3 } },
      'json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID',
    ],
  ] as const)('are rejected with values of the wrong type: %j', ([body, message]) => {
    const error = thrownBy(() => deleteOptions(query(''), body))
    expect(error).toBeInstanceOf(StatusError)
    expect(error).toMatchObject({ code: 500, reason: '', message })
  })

  it('of any shape are parsed or rejected', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        const error = thrownBy(() => deleteOptions(query(''), body))
        expect(error === undefined || error instanceof StatusError).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})

describe('single options', () => {
  it('are numbers or booleans', () => {
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
