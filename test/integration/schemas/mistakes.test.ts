import { describe, expect, it } from 'vitest'
import type { Cause } from '@machinist/apiserver/refusal'
import { checkSchema } from '@machinist/apiserver/schema/check-crd'
import type { StructuralSchema } from '@machinist/apiserver/schema/structural-schema'
import { mistakes } from './mistakes.ts'
import { recorded } from './recorded.ts'

const answers = recorded().mistakes

/** `self` has no static type here: a comparison that can never hold is found when the rule is asked. */
const looser = new Set(['rule with mixed types', 'rule with a wrong operand'])

describe('a schema that a CRD may not have is refused as kube-apiserver does', () => {
  it.each(Object.keys(mistakes).filter((name) => !looser.has(name)))('%s', (name) => {
    const found = checkSchema(mistakes[name] as StructuralSchema)
    expect(comparable(found)).toEqual(comparable(answers[name]!.causes ?? []))
  })

  it.each([...looser])('%s: we take it, and the rule fails at run time', (name) => {
    expect(answers[name]!.causes).toHaveLength(1)
    expect(checkSchema(mistakes[name] as StructuralSchema)).toEqual([])
  })
})

function comparable(causes: readonly Cause[]): string[] {
  return causes
    .filter(({ message }) => !/estimated rule cost/.test(message!))
    .map(({ field, reason, message }) => `${field} ${reason} ${shortened(message!)}`)
    .toSorted()
}

/** Compilers word syntax errors and missing overloads each in their way. */
function shortened(message: string): string {
  return message.replace(
    /(Syntax error|Unexpected|undeclared reference to '\w+'|Unterminated)[^]*/,
    '…',
  )
}
