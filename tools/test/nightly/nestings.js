/**
 * Returns bodies of about `size` bytes that are almost only brackets or quotes.
 *
 * @type {{ readonly [name: string]: (size: number) => string }}
 */
export const NESTINGS = {
  arrays: (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'arrays that do not end': (size) => '['.repeat(size),
  objects: (size) => `${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}`,
  'objects that do not end': (size) => '{"a":'.repeat(size / 5),
  'objects in arrays': (size) => `${'[{"a":'.repeat(size / 8)}1${'}]'.repeat(size / 8)}`,
  'empty arrays in arrays': (size) => `${'[[],'.repeat(size / 5)}1${']'.repeat(size / 5)}`,
  'empty objects in an array': (size) => `[${'{},'.repeat(size / 3)}1]`,
  'empty objects in an object': (size) => `{${'"a":{},'.repeat(size / 7)}"b":1}`,
  'names in brackets': (size) => `a${'[b]'.repeat(size / 3)}=1`,
  'JSON in JSON strings': (size) => {
    let text = '[1]'
    while (text.length < size / 2) text = JSON.stringify(text)
    return text
  },
}
