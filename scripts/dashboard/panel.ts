/** A panel: a legend and a query for each line. */
export interface Panel {
  readonly title: string
  /** Its meaning, and which values are bad. */
  readonly description: string
  /** `count`, or a unit of Grafana: `s`, `bytes`, `percentunit`, … */
  readonly unit: string
  readonly lines: Readonly<Record<string, string>>
  /** Defaults to a line over time. */
  readonly shape?: 'stat' | 'bars' | 'states'
  /** Columns of 24. */
  readonly width?: number
  /** Thresholds for yellow and red; in reverse order for values that decrease. */
  readonly limits?: readonly [yellow: number, red: number]
  /** The text of an empty panel, if that is a good state. */
  readonly whenEmpty?: string
}

export interface Row {
  readonly title: string
  readonly panels: readonly Panel[]
}

const whole = 24
const shapes = {
  lines: { type: 'timeseries', height: 8 },
  stat: { type: 'stat', height: 4 },
  bars: { type: 'bargauge', height: 8 },
  states: { type: 'state-timeline', height: 8 },
} as const

/** Places rows below each other and panels side by side, with unique ids. */
export function layOut(rows: readonly Row[]): object[] {
  const placed: object[] = []
  let y = 0
  for (const { title, panels } of rows) {
    const id = placed.length + 1
    placed.push({
      id,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: at(0, y, whole, 1),
    })
    y += 1
    let x = 0
    let height = 0
    for (const panel of panels) {
      const shape = shapes[panel.shape ?? 'lines']
      const width = panel.width ?? 8
      if (x + width > whole) {
        x = 0
        y += height
        height = 0
      }
      placed.push(drawPanel(panel, placed.length + 1, shape.type, at(x, y, width, shape.height)))
      x += width
      height = Math.max(height, shape.height)
    }
    y += height
  }
  return placed
}

const at = (x: number, y: number, w: number, h: number): object => ({ x, y, w, h })
const datasource = { type: 'prometheus', uid: '${datasource}' }

function drawPanel(panel: Panel, id: number, type: string, gridPos: object): object {
  const { title, description, unit, lines, limits, whenEmpty, shape = 'lines' } = panel
  // Current values need no history.
  const isNow = shape === 'stat' || shape === 'bars'
  return {
    id,
    type,
    title,
    description,
    datasource,
    gridPos,
    fieldConfig: {
      defaults: {
        ...(unit === 'count' ? { unit: 'short', decimals: 0 } : { unit }),
        ...(shape !== 'stat' && { min: 0 }),
        ...(whenEmpty !== undefined && { noValue: whenEmpty }),
        ...thresholds(limits, shape === 'states' ? 'blue' : 'green'),
        ...looks[shape],
      },
      overrides: [],
    },
    options: options[shape],
    targets: Object.entries(lines).map(([legendFormat, expr], i) => ({
      refId: String.fromCodePoint(65 + i),
      datasource,
      expr,
      legendFormat,
      instant: isNow,
    })),
  }
}

/** Without limits a single color is used. */
function thresholds(limits: Panel['limits'], otherwise: string): object {
  const step = (color: string, value: number | null): object => ({ color, value })
  if (!limits) return { thresholds: { mode: 'absolute', steps: [step(otherwise, null)] } }
  const [yellow, red] = limits
  const steps =
    yellow <= red
      ? [step('green', null), step('yellow', yellow), step('red', red)]
      : [step('red', null), step('yellow', red), step('green', yellow)]
  return { thresholds: { mode: 'absolute', steps } }
}

const looks = {
  lines: { custom: { fillOpacity: 10, lineWidth: 1, showPoints: 'never', spanNulls: false } },
  stat: {},
  bars: {},
  states: { custom: { fillOpacity: 70, lineWidth: 0 } },
} as const

const now = { calcs: ['lastNotNull'], fields: '', values: false }
const options = {
  lines: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  stat: { reduceOptions: now, colorMode: 'value', graphMode: 'none', textMode: 'auto' },
  bars: { reduceOptions: now, orientation: 'horizontal', displayMode: 'basic' },
  states: {
    mergeValues: true,
    showValue: 'never',
    legend: { displayMode: 'list', placement: 'bottom', showLegend: false },
    tooltip: { mode: 'single', sort: 'none' },
  },
} as const
