/** A unit or epoch of a number that stands for a time. */
export interface Scale {
  readonly code: 'timestamp_unit' | 'timestamp_epoch'
  readonly what: string
  /** Milliseconds since the Unix epoch of a number. */
  readonly toMilliseconds: (value: number) => number
  /** The line that gives seconds, in the languages where this scale comes from. */
  readonly fix: string
}

const since = (epoch: string, perMillisecond: number) => (value: number) => value / perMillisecond + Date.parse(epoch)

const scale = (code: Scale['code'], what: string, toMilliseconds: Scale['toMilliseconds'], fix: string): Scale => ({
  code,
  what,
  toMilliseconds,
  fix,
})

const DAY = 86_400_000

/** The numbers that are sent for Unix time in seconds, the most common first. */
const SCALES: readonly Scale[] = [
  scale(
    'timestamp_unit',
    'in milliseconds instead of seconds',
    (value) => value,
    'Node: Math.floor(Date.now() / 1000), Java: Instant.now().getEpochSecond(), C#: DateTimeOffset.UtcNow.ToUnixTimeSeconds(), Go: time.Now().Unix(), Python: int(time.time()), Ruby: Time.now.to_i, PHP: time()',
  ),
  scale(
    'timestamp_unit',
    'in microseconds instead of seconds',
    (value) => value / 1e3,
    'Python: int(time.time()), Go: time.Now().Unix(), PHP: time()',
  ),
  scale(
    'timestamp_unit',
    'in nanoseconds instead of seconds',
    (value) => value / 1e6,
    'Python: int(time.time()), not time.time_ns(), Go: time.Now().Unix(), not UnixNano(), shell: date +%s, not %N',
  ),
  scale('timestamp_unit', 'in tenths of a second instead of seconds', (value) => value * 100, 'divide by 10'),
  scale('timestamp_unit', 'in hundredths of a second instead of seconds', (value) => value * 10, 'divide by 100'),
  scale(
    'timestamp_unit',
    'in minutes instead of seconds',
    (value) => value * 60_000,
    'multiply by 60 what was divided by it',
  ),
  scale(
    'timestamp_unit',
    'in days since the Unix epoch instead of seconds',
    (value) => value * DAY,
    'count seconds, not days',
  ),
  scale(
    'timestamp_epoch',
    'in ticks of 100 ns since the year 1, as DateTime.Ticks of .NET',
    (value) => value / 1e4 - 62_135_596_800_000,
    'C#: DateTimeOffset.UtcNow.ToUnixTimeSeconds()',
  ),
  scale(
    'timestamp_epoch',
    'in ticks of 100 ns since 1601, as a FILETIME of Windows',
    since('1601-01-01', 1e4),
    'C#: DateTimeOffset.UtcNow.ToUnixTimeSeconds(), not ToFileTime()',
  ),
  scale(
    'timestamp_epoch',
    'in seconds since 1601, the epoch of Windows',
    since('1601-01-01', 1e-3),
    'subtract 11644473600',
  ),
  scale(
    'timestamp_epoch',
    'in microseconds since 1601, the epoch of Windows and Chrome',
    since('1601-01-01', 1e3),
    'divide by 1000000 and subtract 11644473600',
  ),
  scale(
    'timestamp_epoch',
    'in seconds since the year 1',
    (value) => value * 1e3 - 62_135_596_800_000,
    'subtract 62135596800',
  ),
  scale(
    'timestamp_epoch',
    'in seconds since 2001, the epoch of Apple',
    since('2001-01-01', 1e-3),
    'Swift: Int(Date().timeIntervalSince1970), not timeIntervalSinceReferenceDate',
  ),
  scale(
    'timestamp_epoch',
    'in seconds since 1904, the epoch of the old Macintosh',
    since('1904-01-01', 1e-3),
    'subtract 2082844800',
  ),
  scale('timestamp_epoch', 'in seconds since 1900, the epoch of NTP', since('1900-01-01', 1e-3), 'subtract 2208988800'),
  scale(
    'timestamp_epoch',
    'in seconds since 1980, the epoch of GPS',
    (value) => value * 1e3 + Date.parse('1980-01-06') - 18_000,
    'add 315964800 and subtract the leap seconds since 1980, 18 of them',
  ),
  scale('timestamp_epoch', 'in seconds since 1980, the epoch of DOS', since('1980-01-01', 1e-3), 'add 315532800'),
  scale('timestamp_epoch', 'in seconds since 2000', since('2000-01-01', 1e-3), 'add 946684800'),
  scale('timestamp_epoch', 'in milliseconds since 2000', since('2000-01-01', 1), 'divide by 1000 and add 946684800'),
  scale(
    'timestamp_epoch',
    'in milliseconds since 2001, the epoch of Apple',
    since('2001-01-01', 1),
    'divide by 1000 and add 978307200',
  ),
  scale(
    'timestamp_epoch',
    'in days since 1899-12-30, as spreadsheets count',
    (value) => value * DAY + Date.parse('1899-12-30'),
    '(days - 25569) * 86400',
  ),
  scale('timestamp_epoch', 'a Julian date', (value) => (value - 2_440_587.5) * DAY, '(date - 2440587.5) * 86400'),
]

/** How near to now a number must be, read on another scale, in milliseconds: the coarser it is, the farther it may be off. */
export const NEAR = 400 * DAY

/** The scale on which a number that is no Unix time in seconds near `now` would be one, in milliseconds; the first that fits. */
export function scaleOf(value: number, now: number): Scale | undefined {
  if (Math.abs(value * 1000 - now) < NEAR) return undefined
  const near = (one: Scale) => Math.abs(one.toMilliseconds(value) - now)
  const possible = SCALES.filter((one) => near(one) < NEAR)
  // Epochs lie years apart, so that at most a few fit: whichever is nearest by far, otherwise the most common.
  return possible.find((one) => near(one) < DAY) ?? possible[0]
}

const COMPACT =
  /^(\d{4})-?(\d\d)-?(\d\d)[T_ -]?(\d\d):?(\d\d):?(\d\d)(?:[.,](\d{1,9}))?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i

/** A date and time in text, in milliseconds since the Unix epoch; text without a time zone is taken for UTC. */
export function dateOf(value: string): number | undefined {
  const text = value.trim().slice(0, 64)
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = COMPACT.exec(text) ?? []
  if (year !== undefined) {
    const offset = /^[+-]/.test(zone) ? zone.replace(/^(...):?/, '$1:') : 'Z'
    const parsed = Date.parse(
      `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`,
    )
    return Number.isNaN(parsed) ? undefined : parsed
  }
  // Such as RFC 1123 and what date(1) prints: with the name of a month, or with slashes.
  if (!/[a-z]{3}|\d\/\d/i.test(text)) return undefined
  const parsed = Date.parse(/(z|utc|gmt|[+-]\d{4}|[+-]\d\d:\d\d)\b/i.test(text) ? text : `${text} UTC`)
  return Number.isNaN(parsed) ? undefined : parsed
}

/** The years that have four digits, with a little to spare. */
const LAST = Date.parse('9999-12-01')

/** The instant that a timestamp means, whatever its format, in milliseconds since the Unix epoch. */
export function instantOf(timestamp: string, now: number): number | undefined {
  const text = timestamp.slice(0, 128).replace(/^[\s"'[{(]+|[\s"'\]})s,]+$/g, '')
  const number = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN
  if (/^\d{14}$/.test(text) || !Number.isFinite(number)) {
    const date = dateOf(text)
    if (date !== undefined && date >= 0 && date < LAST) return date
  }
  if (!Number.isFinite(number)) return undefined
  const milliseconds = scaleOf(number, now)?.toMilliseconds(number) ?? number * 1000
  return milliseconds >= 0 && milliseconds < LAST ? milliseconds : undefined
}

const iso = (instant: number) => new Date(instant).toISOString()
const wholeIso = (instant: number) => `${iso(instant).slice(0, 19)}Z`
const seconds = (instant: number) => Math.floor(instant / 1000)

/** How else an instant is written, and how unlikely that is. */
export const SPELLINGS: readonly (readonly [cost: number, what: string, spell: (instant: number) => string])[] = [
  [3, 'in seconds', (instant) => String(seconds(instant))],
  [2, 'in milliseconds', (instant) => String(Math.floor(instant))],
  [2, 'in milliseconds', (instant) => String(seconds(instant) * 1000)],
  [3, 'in ISO 8601', wholeIso],
  [3, 'in ISO 8601 with milliseconds', iso],
  [4, 'in ISO 8601 with milliseconds', (instant) => `${wholeIso(instant).slice(0, 19)}.000Z`],
  [4, 'in ISO 8601 with `+00:00`', (instant) => wholeIso(instant).replace('Z', '+00:00')],
  [4, 'in ISO 8601 without a time zone', (instant) => wholeIso(instant).replace('Z', '')],
  [5, 'in ISO 8601 with milliseconds and `+00:00`', (instant) => iso(instant).replace('Z', '+00:00')],
  [5, 'in ISO 8601 with a space', (instant) => wholeIso(instant).replace('T', ' ').replace('Z', '')],
  [5, 'in ISO 8601 with `UTC`', (instant) => wholeIso(instant).replace('T', ' ').replace('Z', ' UTC')],
  [5, 'in ISO 8601 with microseconds', (instant) => `${iso(instant).slice(0, 23)}000Z`],
  [6, 'in ISO 8601 with microseconds and `+00:00`', (instant) => `${iso(instant).slice(0, 23)}000+00:00`],
  [6, 'in ISO 8601 as .NET writes it', (instant) => `${iso(instant).slice(0, 23)}0000Z`],
  [6, 'in ISO 8601 as .NET writes it, with `+00:00`', (instant) => `${iso(instant).slice(0, 23)}0000+00:00`],
  [6, 'in ISO 8601 with `+0000`', (instant) => wholeIso(instant).replace('Z', '+0000')],
  [5, 'in ISO 8601 without separators', (instant) => wholeIso(instant).replace(/[-:]/g, '')],
  [5, 'as a date and time in digits', (instant) => wholeIso(instant).replace(/[^0-9]/g, '')],
  [4, 'as a float', (instant) => `${seconds(instant)}.0`],
  [5, 'as a float', (instant) => String(instant / 1000)],
  [4, 'in microseconds', (instant) => `${Math.floor(instant)}000`],
  [5, 'in microseconds', (instant) => `${seconds(instant)}000000`],
  [4, 'in nanoseconds', (instant) => `${Math.floor(instant)}000000`],
  [5, 'in nanoseconds', (instant) => `${seconds(instant)}000000000`],
  [4, 'in RFC 1123', (instant) => new Date(instant).toUTCString()],
  [5, 'as Go prints a time', (instant) => wholeIso(instant).replace('T', ' ').replace('Z', ' +0000 UTC')],
  [5, 'as Python prints a time', (instant) => wholeIso(instant).replace('T', ' ').replace('Z', '+00:00')],
  [
    5,
    'as JavaScript prints a Date',
    (instant) => {
      const [weekday = '', day, month, year, time] = new Date(instant).toUTCString().split(' ')
      return `${weekday.slice(0, 3)} ${month} ${day} ${year} ${time} GMT+0000 (Coordinated Universal Time)`
    },
  ],
  [
    5,
    'as date(1) and Java print a time',
    (instant) => {
      const [weekday = '', day = '', month, year, time] = new Date(instant).toUTCString().split(' ')
      return `${weekday.slice(0, 3)} ${month} ${day} ${time} UTC ${year}`
    },
  ],
  [5, 'in RFC 1123 with `+0000`', (instant) => new Date(instant).toUTCString().replace('GMT', '+0000')],
  [5, 'in minutes', (instant) => String(Math.floor(instant / 60_000))],
  [5, 'as a date', (instant) => iso(instant).slice(0, 10)],
  [6, 'in hex', (instant) => seconds(instant).toString(16)],
  [6, 'in days', (instant) => String(Math.floor(instant / DAY))],
  [6, 'in scientific notation', (instant) => seconds(instant).toExponential()],
  [6, 'in ticks of .NET', (instant) => `${BigInt(Math.floor(instant)) * 10_000n + 621_355_968_000_000_000n}`],
]
