import type { StatusCause } from '../../../status/status-error.ts'
import { duplicateValue, invalidValue, requiredValue } from '../../../status/causes.ts'
import { nameProblems } from '../../../objects/names.ts'
import type { Fields } from '../../fields.ts'
import { items, textOf } from '../../fields.ts'

export function volumeProblems(volumes: readonly Fields[], list: string): StatusCause[] {
  const seen = new Set<string>()
  return volumes.flatMap(({ name: given }, place) => {
    const field = `${list}[${place}].name`
    const name = textOf(given)
    const twice = seen.has(name)
    seen.add(name)
    if (name === '') return [requiredValue(field)]
    const wrong = nameProblems(name, 'label').map((problem) => invalidValue(field, name, problem))
    return twice ? wrong.concat(duplicateValue(field, name)) : wrong
  })
}

/** Mounts must reference volumes of the pod. */
export function mountProblems(
  container: Fields,
  volumes: ReadonlySet<string>,
  list: string,
): StatusCause[] {
  return items(container['volumeMounts']).flatMap((mount, place) =>
    oneMount(mount, volumes, `${list}[${place}]`),
  )
}

function oneMount(mount: Fields, volumes: ReadonlySet<string>, at: string): StatusCause[] {
  const name = textOf(mount['name'])
  const path = textOf(mount['mountPath'])
  return [
    ...(name === '' ? [requiredValue(`${at}.name`)] : []),
    ...(volumes.has(name) ? [] : [notFound(`${at}.name`, name)]),
    ...(path === '' ? [requiredValue(`${at}.mountPath`)] : []),
  ]
}

const notFound = (field: string, name: string): StatusCause => ({
  reason: 'FieldValueNotFound',
  message: `Not found: ${JSON.stringify(name)}`,
  field,
})
