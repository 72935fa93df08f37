import type { MachineConfigPool } from '../../api/kinds/resources.ts'

export interface PoolSketch {
  readonly name?: string
  readonly target?: string
  readonly maxUnavailable?: number | string
  readonly paused?: boolean
  readonly annotations?: Record<string, string>
  readonly status?: MachineConfigPool['status']
}

export function pool(sketch: PoolSketch = {}): MachineConfigPool {
  const { name = 'worker', target = 'V1', maxUnavailable, paused, annotations, status } = sketch
  return {
    metadata: {
      name,
      generation: 7,
      resourceVersion: '1',
      ...(annotations && { annotations }),
    },
    spec: {
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      ...(target && { configuration: { name: target } }),
      ...(maxUnavailable !== undefined && { maxUnavailable }),
      ...(paused !== undefined && { paused }),
    },
    ...(status && { status }),
  }
}
