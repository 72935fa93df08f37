import fc from 'fast-check'
import { FieldSet } from '../../src/patch/apply/field-set.ts'

/** Elements of all kinds, few enough for two sets to overlap. */
const arbitraryStep: fc.Arbitrary<string> = fc.constantFrom(
  'f:a',
  'f:b',
  'f:metadata',
  'k:{"name":"x"}',
  'k:{"name":"y"}',
  'k:{"port":80,"protocol":"TCP"}',
  'v:"x"',
  'v:1',
  'v:true',
  'i:0',
)

export const arbitraryFieldSet: fc.Arbitrary<FieldSet> = fc
  .array(fc.array(arbitraryStep, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .map((paths) => FieldSet.from(paths))

const text = fc.constantFrom('', 'x', 'y', 'merge', 'delete', 'replace', 'frobnicate')

/** Keys with a meaning in patches, and in JavaScript. */
const key = fc.constantFrom(
  'a',
  'b',
  'name',
  'type',
  'uid',
  'metadata',
  'labels',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'spec',
  'containers',
  'status',
  'conditions',
  '$patch',
  '$retainKeys',
  '$setElementOrder/finalizers',
  '$setElementOrder/conditions',
  '$deleteFromPrimitiveList/finalizers',
  '__proto__',
  'constructor',
)

/** Random JSON that resembles a patch. */
export const arbitraryJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom(null, true, 0, 1, -1),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value

/** Objects with valid metadata, to be patched. */
export const arbitraryConfigMap: fc.Arbitrary<Record<string, unknown>> = fc.record({
  apiVersion: fc.constant('v1'),
  kind: fc.constant('ConfigMap'),
  metadata: fc.record(
    {
      name: fc.constant('x'),
      labels: words(),
      annotations: words(),
      finalizers: fc.uniqueArray(fc.constantFrom('x.io/a', 'x.io/b', 'x.io/c')),
    },
    { requiredKeys: ['name'] },
  ),
  data: words(),
})

function words(): fc.Arbitrary<Record<string, string>> {
  return fc.dictionary(fc.constantFrom('p', 'q', 'r', 's'), fc.constantFrom('1', '2', '3'))
}
