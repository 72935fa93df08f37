import { expect, it } from 'vitest'
import type { Resource } from '@machinist/core/objects/resource'
import type { Status } from '@machinist/kube/failure'
import { ApiFailure } from '@machinist/kube/failure'
import { secrets } from '@machinist/kube/kinds/core'
import { machineConfigPools } from '../../api/kinds/resources.ts'
import { describeRejection } from './describe-rejection.ts'

const canary = 'canary7d1f'
const request = { method: 'POST', path: '/x' }
const rejection = (resource: Resource, code: number, status: Status): string =>
  describeRejection(
    { resource, file: 'a.yaml', object: { metadata: { name: 'a' } } },
    new ApiFailure(request, code, status),
  )
const causes = [
  { field: 'spec.paused', reason: 'FieldValueInvalid', message: `Invalid value: ${canary}` },
  { field: 'metadata.name', reason: 'FieldValueInvalid', message: 'Invalid value: "A"' },
]

it('a rejected object is described with its fields', () => {
  expect(rejection(machineConfigPools, 422, { details: { causes } })).toBe(
    `MachineConfigPool a: spec.paused: Invalid value: ${canary}; metadata.name: Invalid value: "A"`,
  )
  const message = 'strict decoding error: unknown field "spec.a", unknown field "spec.b"'
  expect(rejection(machineConfigPools, 400, { message })).toBe(
    'MachineConfigPool a: unknown fields: spec.a, spec.b; remove them',
  )
  expect(rejection(machineConfigPools, 413, { message: 'it is too large' })).toBe(
    'MachineConfigPool a: it is too large',
  )
})

it('a rejected Secret is described without its values', () => {
  const texts = [
    rejection(secrets, 422, { details: { causes } }),
    rejection(secrets, 400, { reason: 'BadRequest', message: `cannot read ${canary}` }),
    rejection(secrets, 400, {
      message: `Secret "${canary}" cannot be handled as a Secret: illegal base64 data at input byte 4`,
    }),
  ]
  expect(texts).toEqual([
    'Secret a: spec.paused: FieldValueInvalid; metadata.name: Invalid value: "A"',
    'Secret a: the API server rejects it (400 BadRequest)',
    'Secret a: illegal base64 data at input byte 4',
  ])
})
