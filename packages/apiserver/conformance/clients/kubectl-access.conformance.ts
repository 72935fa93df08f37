import { expect, it } from 'vitest'
import { certificateRequest } from '../support/certificate-request.ts'
import { conformance } from '../support/conformance.ts'
import { kubectlWith } from '../support/kubectl.ts'

const words = (line: string | undefined): string => (line ?? '').trim().split(/\s+/).join(' ')

conformance('kubectl and access', (on) => {
  it(
    'auth can-i',
    on(async ({ kubectl, namespace }) => {
      const mine = await kubectl('auth', 'can-i', 'create', 'pods', '-n', namespace)
      expect(`${mine.code} ${mine.stdout}`).toBe('0 yes\n')
      const hers = await kubectl('auth', 'can-i', 'create', 'pods', '-n', namespace, '--as=jane')
      expect(`${hers.code} ${hers.stdout}`).toBe('1 no\n')
      const listed = await kubectl('auth', 'can-i', '--list', '-n', namespace, '--as=jane')
      expect(listed.stdout.split('\n').map(words)).toContain('[/version] [] [get]')
    }),
  )

  it(
    'auth can-i follows a new role',
    on(async ({ kubectl, namespace }) => {
      const at = ['-n', namespace]
      await kubectl('create', 'role', 'reader', '--verb=get', '--resource=pods', ...at)
      await kubectl('create', 'rolebinding', 'reader', '--role=reader', '--user=jane', ...at)
      const requested = ['auth', 'can-i', 'get', 'pods', '--as=jane', ...at]
      await expect
        .poll(async () => (await kubectl(...requested)).stdout, { timeout: 30_000 })
        .toBe('yes\n')
    }),
  )

  it(
    'auth whoami',
    on(async ({ kubectl }) => {
      const { stdout } = await kubectl('auth', 'whoami', '--as=jane', '--as-group=testers')
      expect(stdout.split('\n').map(words)).toEqual([
        'ATTRIBUTE VALUE',
        'Username jane',
        'Groups [testers system:authenticated]',
        '',
      ])
    }),
  )

  it(
    'create token',
    on(async ({ api, kubectl, namespace }) => {
      expect((await kubectl('create', 'sa', 'robot', '-n', namespace)).stdout).toBe(
        'serviceaccount/robot created\n',
      )
      const { stdout } = await kubectl(
        'create',
        'token',
        'robot',
        '-n',
        namespace,
        '--duration=15m',
      )
      const me = await api
        .withToken(stdout.trim())
        .post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
      expect(me.body.status).toMatchObject({
        userInfo: { username: `system:serviceaccount:${namespace}:robot` },
      })
    }),
  )

  it(
    'certificate approve and deny',
    on(async ({ kubectl, target, unique }) => {
      for (const [verb, condition] of [
        ['approve', 'Approved'],
        ['deny', 'Denied'],
      ] as const) {
        const name = `${verb}-${unique}`
        await kubectlWith(target, [certificateRequest(name)], 'create', '-f', '-')
        const decided = await kubectl('certificate', verb, name)
        expect(decided.stdout).toBe(
          `certificatesigningrequest.certificates.k8s.io/${name} ${condition.toLowerCase()}\n`,
        )
        const [header, row] = (await kubectl('get', 'csr', name)).stdout.split('\n')
        expect(words(header)).toBe('NAME AGE SIGNERNAME REQUESTOR REQUESTEDDURATION CONDITION')
        expect(words(row)).toMatch(
          new RegExp(`^${name} \\d+s example\\.org/tester \\S+ 60m ${condition}$`),
        )
      }
    }),
  )
})
