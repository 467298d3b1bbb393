import { watch } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, createServer } from 'vitepress'
import { checkSite } from './check-site.js'
import { stage, stageGuides } from './stage.js'

// `npm run docs` builds the site. With --serve, it is served and follows changes of the guides.

const HERE = fileURLToPath(new URL('.', import.meta.url))

await stage()
if (process.argv.includes('--serve')) {
  const server = await createServer(HERE)
  await server.listen()
  server.printUrls()
  watch(fileURLToPath(new URL('..', import.meta.url)), { recursive: true }, (_, file) => {
    if (!file?.endsWith('.md') || file.startsWith('site')) return
    try {
      stageGuides()
    } catch (error) {
      console.error(String(error))
    }
  })
} else {
  await build(HERE)
  checkSite(fileURLToPath(new URL('.vitepress/dist', import.meta.url)))
}
