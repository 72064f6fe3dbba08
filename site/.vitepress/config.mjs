import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { withMermaid } from 'vitepress-plugin-mermaid'

const pages = new URL('../target/pages/', import.meta.url)

const read = (page) => readFileSync(new URL(page, pages), 'utf8')

// The order of the pages; others follow under "More"
const groups = {
  Start: ['getting-started', 'choosing', 'configuration', 'recipes', 'migration', 'comparison'],
  Guards: ['rate-limiting', 'circuit-breaker', 'locks', 'idempotency', 'caching', 'write-behind', 'blacklist', 'refresh-tokens',
    'keys', 'composing-guards', 'calling-styles'],
  Messages: ['streams', 'queues', 'broadcast'],
  Structures: ['workspaces', 'workspace-keys', 'leaderboards', 'unique-counters', 'bloom-filters', 'geo-indexes',
    'hash-stores', 'entity-scripts', 'sessions', 'many-calls'],
  'In production': ['deployment', 'operations', 'observability', 'console', 'troubleshooting', 'testing', 'native', 'benchmarks'],
  Reference: ['guarantees', 'rate-limiting-reference', 'locks-reference', 'idempotency-reference', 'caching-reference',
    'spring-cache', 'write-behind-reference', 'blacklist-reference', 'streams-reference', 'queues-reference',
    'sessions-reference', 'stored-values', 'frameworks'],
  Background: ['architecture', 'locks-design', 'caching-design', 'consumers-design']
}

function item(name) {
  const title = read(`docs/${name}.md`).match(/^# (.*)$/m)
  return { text: title ? title[1].replaceAll('`', '') : name, link: `/docs/${name}` }
}

function sidebar() {
  const names = readdirSync(new URL('docs/', pages))
    .filter((file) => file.endsWith('.md') && file !== 'index.md')
    .map((file) => file.replace(/\.md$/, ''))
    .sort()
  const grouped = Object.values(groups).flat()
  return [...Object.entries(groups), ['More', names.filter((name) => !grouped.includes(name))]]
    .map(([text, all]) => ({ text, items: all.filter((name) => names.includes(name)).map(item) }))
    .filter((group) => group.items.length > 0)
}

// As GitHub does, so that one link leads to the same heading in both
function slugify(heading) {
  return heading.toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-')
}

const version = readFileSync(new URL('../../pom.xml', import.meta.url), 'utf8')
  .match(/<artifactId>ge-redis-parent<\/artifactId>\s*<version>([^<]+)</)[1]

// The address of the repository, for links to it and to edit its pages
const repository = process.env.SITE_REPOSITORY

const icon = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='4' fill='#d6342b'/>"
  + "<path d='M3 11l3-4 3 2 4-5' fill='none' stroke='white' stroke-width='1.8'/></svg>"

export default withMermaid({
  title: 'GE Redis',
  description: 'Redis patterns for Spring Boot as annotations',
  lang: 'en',
  base: process.env.SITE_BASE || '/',
  srcDir: 'target/pages',
  outDir: 'target/dist',
  cacheDir: 'target/cache',
  cleanUrls: false,
  // A test of the project follows all links
  ignoreDeadLinks: true,
  markdown: { anchor: { slugify } },
  mermaid: { flowchart: { useMaxWidth: false }, sequence: { useMaxWidth: false }, state: { useMaxWidth: false } },
  // README.md is the page of its folder, and is edited under its own name
  transformPageData(page) {
    if (!page.filePath.startsWith('docs/')) {
      page.filePath = page.filePath.replace(/(^|\/)index\.md$/, '$1README.md')
    }
  },
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  themeConfig: {
    nav: [
      { text: 'Guide', link: existsSync(new URL('docs/getting-started.md', pages)) ? '/docs/getting-started' : '/' },
      ...(process.env.SITE_JAVADOC ? [{ text: 'Javadoc', link: '/javadoc/index.html', target: '_self' }] : []),
      { text: version, link: '/CHANGELOG' },
      ...(repository ? [{ text: 'License', link: `${repository}/blob/main/LICENSE` }] : [])
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    ...(repository ? {
      socialLinks: [{ icon: 'github', link: repository }],
      editLink: { pattern: `${repository}/edit/main/:path`, text: 'Edit this page' }
    } : {}),
    footer: { message: 'Apache License 2.0' }
  }
})
