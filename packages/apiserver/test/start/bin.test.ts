import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { parseYaml } from '@machinist/core/encoding/yaml'

const program = join(import.meta.dirname, '../../bin/machinist-apiserver')
const directory = mkdtempSync(join(tmpdir(), 'machinist-apiserver-'))

afterAll(() => rmSync(directory, { recursive: true, force: true }))

describe('machinist-apiserver', () => {
  it('serves /readyz over HTTPS, writes a kubeconfig, and stops on SIGTERM', async () => {
    const server = spawn(process.execPath, [program, '--data', directory, '--port', '0'])
    const ended = once(server, 'exit')
    const [line] = (await once(server.stdout, 'data')) as [Buffer]
    const kubeconfig = join(directory, 'kubeconfig')
    const [, url] = /^ready: (https:\S+), kubeconfig (\S+)\n$/.exec(String(line))!
    expect(String(line)).toContain(kubeconfig)
    const { clusters } = parseYaml(readFileSync(kubeconfig, 'utf8'), kubeconfig) as Kubeconfig
    const { cluster } = clusters[0]!
    expect(cluster.server).toBe(url)
    const ca = Buffer.from(cluster['certificate-authority-data'], 'base64')
    expect(await body(`${url}/readyz`, ca)).toBe('ok')
    server.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  it('prints its help', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--help'])
    expect(stdout).toContain('machinist-apiserver --data DIR')
    const { bin } = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'),
    ) as { bin: Record<string, string> }
    expect(bin).toEqual({ 'machinist-apiserver': 'bin/machinist-apiserver' })
  })

  it.each([
    [[], '--data is required, see --help'],
    [['--data', directory, '--port', '70000'], '--port 70000 is not a port number'],
    [['--bogus'], "Unknown option '--bogus'"],
  ])('rejects %j', async (args, message) => {
    const run = promisify(execFile)(process.execPath, [program, ...args])
    await expect(run).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`machinist-apiserver: ${message}`) as string,
    })
  })
})

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string }
  }[]
}

async function body(url: string, ca: Buffer): Promise<string> {
  const [response] = (await once(get(url, { ca }), 'response')) as [NodeJS.ReadableStream]
  return text(response)
}
