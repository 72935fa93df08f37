import { describe, expect, it } from 'vitest'
import type { StatusCause } from '@machinist/apiserver/status/status-error'
import { checkSchema } from '@machinist/apiserver/schema/check-crd'
import type { StructuralSchema } from '@machinist/apiserver/schema/structure/structural-schema'
import { mistakes } from './mistakes.ts'
import { recorded } from './recorded.ts'

const answers = recorded().mistakes

/** `self` has no static type here, so the embedded server finds such comparisons only at run time. */
const looser = new Set(['rule with mixed types', 'rule with a wrong operand'])

describe('an invalid schema of a CRD is rejected as by kube-apiserver', () => {
  it.each(Object.keys(mistakes).filter((name) => !looser.has(name)))('%s', (name) => {
    const found = checkSchema(mistakes[name] as StructuralSchema)
    expect(comparable(found)).toEqual(comparable(answers[name]!.causes ?? []))
  })

  it.each([...looser])('%s: the schema is accepted, and the rule fails at run time', (name) => {
    expect(answers[name]!.causes).toHaveLength(1)
    expect(checkSchema(mistakes[name] as StructuralSchema)).toEqual([])
  })
})

function comparable(causes: readonly StatusCause[]): string[] {
  return causes
    .filter(({ message }) => !/estimated rule cost/.test(message!))
    .map(({ field, reason, message }) => `${field} ${reason} ${shortened(message!)}`)
    .toSorted()
}

/** The messages for syntax errors and missing overloads differ between CEL compilers. */
function shortened(message: string): string {
  return message.replace(
    /(Syntax error|Unexpected|undeclared reference to '\w+'|Unterminated)[^]*/,
    '…',
  )
}
