import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { NotFound } from './not-found.js'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) }),
  enhanceApp: () => {
    if (typeof window === 'undefined') return
    printInLightColours()
    copyCommandsAlone()
  },
}

/** Browsers print no backgrounds, so the light text of the dark theme would be invisible on paper. */
function printInLightColours(): void {
  const { classList } = document.documentElement
  let wasDark = false
  matchMedia('print').addEventListener('change', ({ matches }) => {
    if (matches) wasDark = classList.contains('dark')
    classList.toggle('dark', wasDark && !matches)
  })
}

/** A block of a terminal shows commands after a prompt, and what they print. Its button copies the commands. */
function copyCommandsAlone(): void {
  const copy = (event: MouseEvent) => {
    const button = event.target instanceof Element ? event.target.closest('.language-console > button.copy') : null
    if (button === null) return
    // VitePress would copy the whole block.
    event.stopPropagation()
    const lines = button.parentElement?.querySelector('code')?.innerText.split('\n') ?? []
    const commands = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
    navigator.clipboard.writeText(commands.join('\n')).then(() => {
      button.classList.add('copied')
      setTimeout(() => button.classList.remove('copied'), 2000)
    }, console.error)
  }
  addEventListener('click', copy, { capture: true })
}
