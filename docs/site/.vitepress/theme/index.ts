import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { NotFound } from './not-found.js'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) }),
  enhanceApp: () => {
    if (typeof window !== 'undefined') printInLightColours()
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
