import type * as spec3 from '../spec/config.ts'
import { compact, nonZero } from './compact.ts'
import type * as spec2 from './config.ts'

/*
 * Structs that both specs share. Spec 3 often distinguishes absent from zero where spec 2 does not, so a zero that has no meaning in
 * spec 2 is omitted in both directions.
 */

export function group(group: spec2.Group | spec3.Group): spec3.Group {
  return compact<spec3.Group>({
    name: group.name ?? '',
    gid: group.gid,
    passwordHash: nonZero(group.passwordHash),
    system: nonZero(group.system),
  })
}

export function user(user: spec2.User | spec3.User): spec3.User {
  return compact<spec3.User>({
    name: user.name ?? '',
    gecos: nonZero(user.gecos),
    groups: user.groups,
    homeDir: nonZero(user.homeDir),
    noCreateHome: nonZero(user.noCreateHome),
    noLogInit: nonZero(user.noLogInit),
    noUserGroup: nonZero(user.noUserGroup),
    passwordHash: user.passwordHash,
    primaryGroup: nonZero(user.primaryGroup),
    shell: nonZero(user.shell),
    sshAuthorizedKeys: user.sshAuthorizedKeys,
    system: nonZero(user.system),
    uid: user.uid,
  })
}

export function unit(unit: spec2.Unit | spec3.Unit): spec3.Unit {
  return compact<spec3.Unit>({
    name: unit.name ?? '',
    contents: nonZero(unit.contents),
    dropins: unit.dropins?.map(({ name = '', contents }) =>
      compact<spec3.Dropin>({ name, contents: nonZero(contents) }),
    ),
    enabled: unit.enabled,
    mask: nonZero(unit.mask),
  })
}

export function owner(owner: spec2.Owner | spec3.Owner | undefined): spec3.Owner | undefined {
  return owner && compact<spec3.Owner>({ id: owner.id, name: nonZero(owner.name) })
}

export function disk({ device = '', partitions, wipeTable }: spec2.Disk | spec3.Disk): spec3.Disk {
  return compact<spec3.Disk>({
    device,
    partitions: partitions?.map(partition),
    wipeTable: nonZero(wipeTable),
  })
}

function partition({
  guid,
  label,
  number,
  typeGuid,
}: spec2.Partition | spec3.Partition): spec3.Partition {
  return compact<spec3.Partition>({
    guid: nonZero(guid),
    label: nonZero(label),
    number: nonZero(number),
    typeGuid: nonZero(typeGuid),
  })
}

export function raid(raid: spec2.Raid | spec3.Raid): spec3.Raid {
  const { name = '', devices, level = '', options, spares } = raid
  return compact<spec3.Raid>({ name, devices, level, options, spares: nonZero(spares) })
}
