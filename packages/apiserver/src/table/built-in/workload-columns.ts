import { InvalidInput } from '@machinist/core/errors'
import { isObject } from '@machinist/core/encoding/json'
import type { LabelSelectorSpec } from '@machinist/core/objects/selectors'
import {
  everything,
  formatLabelSelector,
  selectorFromSpec,
} from '@machinist/core/objects/selectors'
import type { Column } from '../../kinds/served-kind.ts'
import type { KubeJson } from './cells.ts'
import {
  ageColumn,
  at,
  column,
  labelsText,
  listAt,
  mapAt,
  numberAt,
  textAt,
  wideColumn,
} from './cells.ts'

const containers = (field: 'name' | 'image') => (workload: KubeJson) =>
  listAt(workload, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, [field]))
    .join(',')

const counted = (name: string) => (workload: KubeJson) => numberAt(workload, 'status', name)

export const deploymentColumns: readonly Column[] = [
  column('Ready', (deployment) => {
    const ready = numberAt(deployment, 'status', 'readyReplicas')
    return `${ready}/${numberAt(deployment, 'spec', 'replicas')}`
  }),
  column('Up-to-date', counted('updatedReplicas')),
  column('Available', counted('availableReplicas')),
  ageColumn,
  wideColumn('Containers', containers('name')),
  wideColumn('Images', containers('image')),
  wideColumn('Selector', (deployment) => selectorText(at(deployment, 'spec', 'selector'))),
]

export const daemonSetColumns: readonly Column[] = [
  column('Desired', counted('desiredNumberScheduled'), 'integer'),
  column('Current', counted('currentNumberScheduled'), 'integer'),
  column('Ready', counted('numberReady'), 'integer'),
  column('Up-to-date', counted('updatedNumberScheduled'), 'integer'),
  column('Available', counted('numberAvailable'), 'integer'),
  column('Node Selector', (set) =>
    labelsText(mapAt(set, 'spec', 'template', 'spec', 'nodeSelector')),
  ),
  ageColumn,
  wideColumn('Containers', containers('name')),
  wideColumn('Images', containers('image')),
  wideColumn('Selector', (set) => selectorText(at(set, 'spec', 'selector')) || '<none>'),
]

export const disruptionBudgetColumns: readonly Column[] = [
  column('Min Available', (budget) => limit(at(budget, 'spec', 'minAvailable'))),
  column('Max Unavailable', (budget) => limit(at(budget, 'spec', 'maxUnavailable'))),
  column('Allowed Disruptions', counted('disruptionsAllowed'), 'integer'),
  ageColumn,
]

/** A number or a percentage. */
function limit(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : 'N/A'
}

function selectorText(selector: unknown): string {
  if (!isObject(selector)) return ''
  try {
    const requirements = selectorFromSpec(specOf(selector), everything)
    return formatLabelSelector([...requirements].sort((a, b) => (a.key < b.key ? -1 : 1)))
  } catch (error) {
    if (error instanceof InvalidInput) return '<invalid>'
    throw error
  }
}

/** The value as a label selector. */
function specOf(selector: unknown): LabelSelectorSpec {
  const labels = mapAt(selector, 'matchLabels')
  return {
    matchLabels: Object.fromEntries(Object.keys(labels).map((key) => [key, textAt(labels, [key])])),
    matchExpressions: listAt(selector, 'matchExpressions').map((one) => ({
      key: textAt(one, ['key']),
      operator: textAt(one, ['operator']),
      values: listAt(one, 'values').filter((value) => typeof value === 'string'),
    })),
  }
}
