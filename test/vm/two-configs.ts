import type { MachineConfig } from '../../src/api/kinds/resources.ts'

/** Needs more than one write. */
const lines = 5_000

/** Two configs that differ in everything that a config can set; the words `one` and `two` identify them. */
export const first = configOf('first', 'one', 'os/v1', ['machinist.test=1'], [])
export const second = configOf('second', 'two', 'os/v2', ['machinist.test=2', 'nosmt'], ['/etc/b'])

function configOf(
  name: string,
  word: string,
  osImageURL: string,
  kernelArguments: string[],
  more: readonly string[],
): MachineConfig {
  const file = (path: string, content: string): object => ({
    path,
    mode: 0o644,
    overwrite: true,
    contents: { source: `data:,${encodeURIComponent(content)}` },
  })
  const unit = `[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c 'echo ${word} >/run/hello'\n[Install]\nWantedBy=multi-user.target\n`
  return {
    metadata: { name },
    spec: {
      osImageURL,
      kernelArguments,
      config: {
        ignition: { version: '3.4.0' },
        storage: {
          files: [
            file('/etc/a', `${word}\n`),
            file('/etc/large', `${word}\n`.repeat(lines)),
            ...more.map((path) => file(path, `${word}\n`)),
          ],
        },
        systemd: { units: [{ name: 'hello.service', enabled: true, contents: unit }] },
      },
    },
  }
}

/** The files of the configs. `whichOf` identifies the config of a content. */
export const paths = ['/etc/a', '/etc/b', '/etc/large', '/etc/systemd/system/hello.service']

export function whichOf(content: string | undefined): 'one' | 'two' | 'absent' | 'torn' {
  if (content === undefined) return 'absent'
  for (const word of ['one', 'two'] as const) {
    const whole = [`${word}\n`, `${word}\n`.repeat(lines)]
    const isUnit = content.includes(`echo ${word} >`) && content.endsWith('multi-user.target\n')
    if (whole.includes(content) || isUnit) return word
  }
  return 'torn'
}

/** A command that prints all of it on a running machine. */
export const inspect = [
  'cat /etc/a',
  'uniq -c /etc/large',
  'cat /etc/b 2>/dev/null || echo no b',
  'cat /run/hello',
  'systemctl is-enabled hello.service',
  'cat /usr/lib/image-version',
  'grep -o "machinist[.]test=.\\|nosmt" /proc/cmdline',
  'find /etc /usr/local -name ".*.machinist"',
  'ls -d /etc/machine-config-daemon/journal 2>/dev/null || echo no journal',
].join('; ')

/** The output of `inspect` on a machine that is completely in one of the configs. */
export const found = {
  first: 'one\n   5000 one\nno b\none\nenabled\n1\nmachinist.test=1\nno journal\n',
  second: 'two\n   5000 two\ntwo\ntwo\nenabled\n2\nmachinist.test=2\nnosmt\nno journal\n',
}
