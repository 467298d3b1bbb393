import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checkSite } from './check-site.js'
import { stage, stageGuides } from './stage.js'

// `npm run docs` builds the site. With --serve, it is served and follows changes of the guides.

const HERE = fileURLToPath(new URL('.', import.meta.url))

if (!existsSync(join(HERE, 'node_modules'))) {
  console.error('VitePress is not installed. Run: npm ci --prefix docs/site')
  process.exit(1)
}
const { build, createServer } = await import('vitepress')

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
