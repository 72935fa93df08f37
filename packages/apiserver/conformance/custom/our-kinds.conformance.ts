import { expect, it } from 'vitest'
import { conformance } from '../support/conformance.ts'
import { pool, withOurDefinitions } from '../support/our-definitions.ts'

const pools = '/apis/machineconfiguration.openshift.io/v1/machineconfigpools'

const words = (line: string | undefined): string[] => (line ?? '').trim().split(/\s+/)

conformance('the CRDs of Machinist', (on) => {
  it(
    'kubectl get mcp prints the columns',
    on(async (stage) => {
      const { api, kubectl, unique } = stage
      await withOurDefinitions(stage)
      await api.post(pools, pool(unique))
      await api.patch(`${pools}/${unique}/status`, 'merge', {
        status: {
          configuration: { name: 'rendered-worker-1' },
          machineCount: 3,
          readyMachineCount: 2,
          updatedMachineCount: 1,
          degradedMachineCount: 0,
          conditions: ['Updated', 'Updating', 'Degraded'].map((type, i) => ({
            type,
            status: i === 1 ? 'True' : 'False',
            lastTransitionTime: '2026-01-02T03:04:05Z',
            reason: '',
            message: '',
          })),
        },
      })
      const [header, row] = (await kubectl('get', 'mcp', unique)).stdout.split('\n')
      expect(words(header).join(' ')).toBe(
        'NAME CONFIG UPDATED UPDATING DEGRADED MACHINECOUNT READYMACHINECOUNT UPDATEDMACHINECOUNT DEGRADEDMACHINECOUNT AGE',
      )
      expect(words(row).slice(0, -1).join(' ')).toBe(
        `${unique} rendered-worker-1 False True False 3 2 1 0`,
      )
    }),
  )

  it(
    'every kind is served',
    on(async (stage) => {
      await withOurDefinitions(stage)
      const { stdout } = await stage.kubectl(
        'api-resources',
        '--api-group=machineconfiguration.openshift.io',
        '--no-headers',
      )
      expect(
        stdout
          .trim()
          .split('\n')
          .map((line) => words(line).join(' ')),
      ).toEqual([
        'containerruntimeconfigs ctrcfg machineconfiguration.openshift.io/v1 false ContainerRuntimeConfig',
        'controllerconfigs machineconfiguration.openshift.io/v1 false ControllerConfig',
        'kubeletconfigs machineconfiguration.openshift.io/v1 false KubeletConfig',
        'machineconfignodes mcn machineconfiguration.openshift.io/v1 false MachineConfigNode',
        'machineconfigpools mcp machineconfiguration.openshift.io/v1 false MachineConfigPool',
        'machineconfigs mc machineconfiguration.openshift.io/v1 false MachineConfig',
        'machineosbuilds machineconfiguration.openshift.io/v1 false MachineOSBuild',
        'machineosconfigs machineconfiguration.openshift.io/v1 false MachineOSConfig',
        'pinnedimagesets machineconfiguration.openshift.io/v1 false PinnedImageSet',
      ])
    }),
  )

  it(
    'kubectl explain prints the descriptions',
    on(async (stage) => {
      await withOurDefinitions(stage)
      const { stdout } = await stage.kubectl('explain', 'mcp.spec.paused')
      expect(stdout).toBe(
        [
          'GROUP:      machineconfiguration.openshift.io',
          'KIND:       MachineConfigPool',
          'VERSION:    v1',
          '',
          'FIELD: paused <boolean>',
          '',
          '',
          'DESCRIPTION:',
          '    Whether the rollout is paused. While true, no further node starts an update.',
          '    ',
          '',
          '',
        ].join('\n'),
      )
    }),
  )

  it(
    'kubectl describe prints a pool',
    on(async (stage) => {
      const { api, kubectl, unique } = stage
      await withOurDefinitions(stage)
      await api.post(pools, pool(unique, { paused: true }))
      const { stdout } = await kubectl('describe', 'mcp', unique)
      expect(stdout).toMatch(new RegExp(`^Name: +${unique}\nNamespace: +\nLabels: +<none>\n`))
      expect(stdout).toMatch(/\nSpec:\n {2}Machine Config Selector:\n {4}Match Labels:\n/)
      expect(stdout).toMatch(/\n {2}Paused: +true\nEvents: +<none>\n$/)
    }),
  )

  it(
    '422: a pool whose boolean field is not a boolean',
    on(async (stage) => {
      await withOurDefinitions(stage)
      const { body } = await stage.api.post(pools, pool(stage.unique, { paused: 'yes' }))
      expect(body).toMatchObject({
        code: 422,
        details: {
          causes: [
            {
              field: 'spec.paused',
              reason: 'FieldValueTypeInvalid',
              message:
                'Invalid value: "string": spec.paused in body must be of type boolean: "string"',
            },
            { field: '<nil>' },
          ],
        },
      })
    }),
  )

  it(
    'a selector is atomic for apply',
    on(async (stage) => {
      const { api, unique } = stage
      await withOurDefinitions(stage)
      await api.patch(`${pools}/${unique}?fieldManager=one`, 'apply', pool(unique))
      const other = pool(unique, { machineConfigSelector: { matchLabels: { role: 'other' } } })
      const { body } = await api.patch(`${pools}/${unique}?fieldManager=two`, 'apply', other)
      expect(body['message']).toBe(
        'Apply failed with 1 conflict: conflict with "one": .spec.machineConfigSelector',
      )
    }),
  )

  it(
    'maxUnavailable is a number or a percentage',
    on(async (stage) => {
      const { api, unique } = stage
      await withOurDefinitions(stage)
      await api.post(pools, pool(unique))
      const set = async (maxUnavailable: unknown): Promise<unknown> =>
        (await api.patch(`${pools}/${unique}`, 'merge', { spec: { maxUnavailable } })).body.spec?.[
          'maxUnavailable'
        ]
      expect(await set(2)).toBe(2)
      expect(await set('10%')).toBe('10%')
      const rejected = await api.patch(`${pools}/${unique}`, 'merge', {
        spec: { maxUnavailable: true },
      })
      expect(rejected.code).toBe(422)
    }),
  )
})
