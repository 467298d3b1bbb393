import { fromBase64, fromHex, fromUtf8, utf8 } from '../bytes.js'
import { countBytes } from '../text.js'
import { byId, h } from './dom.js'

/** The largest file, in bytes. */
const MAX_BYTES = 64 * 2 ** 20
/** The longest text that can be edited, in bytes. A longer text makes a field slow. */
const MAX_EDITABLE = 2 ** 16

/** A field for bytes: text, base64, hex, or a file that is chosen or dropped. A file is used byte by byte. */
export class ByteField {
  readonly #text: HTMLTextAreaElement
  readonly #file: HTMLInputElement
  readonly #encoding: HTMLSelectElement | null
  readonly #chosen: HTMLElement
  #bytes: Uint8Array | undefined

  /** @param id - the ID of the text area. The IDs of the other elements begin with this ID. */
  constructor(id: string, onChange: () => void) {
    this.#text = byId<HTMLTextAreaElement>(id)
    this.#file = byId<HTMLInputElement>(`${id}-file`)
    this.#encoding = document.querySelector<HTMLSelectElement>(`#${id}-encoding`)
    this.#chosen = byId(`${id}-chosen`)
    this.#text.addEventListener('input', () => {
      this.#bytes = undefined
      onChange()
    })
    this.#encoding?.addEventListener('change', onChange)
    this.#file.addEventListener('change', () => this.#read(this.#file.files, onChange))
    this.#text.addEventListener('dragover', (event) => event.preventDefault())
    this.#text.addEventListener('drop', (event) => {
      const files = event.dataTransfer?.files
      if (files === undefined || files.length === 0) return
      event.preventDefault()
      this.#read(files, onChange)
    })
  }

  get isEmpty(): boolean {
    return this.#bytes === undefined && this.#text.value === ''
  }

  get isFile(): boolean {
    return this.#bytes !== undefined
  }

  /** Returns the bytes of the field. Throws an `Error` if the text is not of the chosen encoding. */
  get bytes(): Uint8Array {
    if (this.#bytes !== undefined) return this.#bytes
    const text = this.#text.value
    const encoding = this.#encoding?.value ?? 'text'
    if (encoding === 'text' || text.trim() === '') return utf8(text)
    const decoded = encoding === 'hex' ? fromHex(text.replace(/\s+/g, '')) : fromBase64(text.replace(/\s+/g, ''))
    if (decoded === undefined) throw new Error(`This is not ${encoding}.`)
    return decoded
  }

  setText(text: string): void {
    this.#forget()
    this.#text.value = text
  }

  /** Uses bytes unchanged. A short text is shown and can be edited. */
  setBytes(bytes: Uint8Array): void {
    this.#forget()
    this.#bytes = bytes
    const isShown = bytes.length <= MAX_EDITABLE
    this.#text.value = isShown ? fromUtf8(bytes) : ''
    this.#text.disabled = !isShown
    if (!isShown) this.#chosen.replaceChildren(`${countBytes(bytes.length)}, used byte by byte.`)
  }

  async #read(files: FileList | null, onChange: () => void): Promise<void> {
    const file = files?.[0]
    if (file === undefined) return
    if (file.size > MAX_BYTES) {
      this.#chosen.replaceChildren(`${file.name} is larger than 64 MiB.`)
      return
    }
    this.#bytes = new Uint8Array(await file.arrayBuffer())
    // The text is removed, because it would look as if it were used too.
    this.#text.value = ''
    this.#text.disabled = true
    const remove = h('button', { type: 'button' }, 'Remove the file')
    remove.addEventListener('click', () => {
      this.#forget()
      onChange()
      this.#text.focus()
    })
    this.#chosen.replaceChildren(`${file.name}, ${countBytes(this.#bytes.length)}, used byte by byte. `, remove)
    onChange()
  }

  #forget(): void {
    this.#bytes = undefined
    this.#text.disabled = false
    this.#file.value = ''
    this.#chosen.replaceChildren()
  }
}
