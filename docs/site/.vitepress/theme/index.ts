import DefaultTheme from 'vitepress/theme-without-fonts'
import { h } from 'vue'
import { NotFound } from './not-found.js'
import './style.css'

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': () => h(NotFound) }),
}
