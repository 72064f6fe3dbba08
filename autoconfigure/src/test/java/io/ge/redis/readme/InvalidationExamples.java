// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.readme;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.ge.redis.cache.CacheAside;
import io.ge.redis.cache.CacheInvalidate;
import io.ge.redis.cache.CacheWriteThrough;
import io.ge.redis.cache.GeCaches;

import org.springframework.transaction.annotation.Transactional;

/**
 * The code of the page on caches that invalidates.
 */
public class InvalidationExamples {

	private final Map<String, Article> shelf = new ConcurrentHashMap<>();

	private final GeCaches caches;

	InvalidationExamples(GeCaches caches) {
		this.caches = caches;
	}

	@CacheInvalidate(cache = "articles", key = "#id")
	@Transactional
	public void delete(String id) {
		this.shelf.remove(id);
	}

	@CacheInvalidate(cache = "articles", tags = "#author")
	@Transactional
	public void rename(String author, String name) {
		this.shelf.replaceAll((id, article) -> article.by(author) ? article.renamed(name) : article);
	}

	@CacheInvalidate(cache = "articles", all = true)
	public void restock(Map<String, Article> shelf) {
		this.shelf.putAll(shelf);
	}

	public void close(String author) {
		this.caches.evict("articles", "front");
		this.caches.invalidateTags("articles", author);
		this.caches.clear("authors");
	}

	@CacheAside(cache = "articles", key = "#id", tags = "#author")
	public Article find(String author, String id) {
		return this.shelf.get(id);
	}

	@CacheWriteThrough(cache = "articles", key = "#article.id", tags = "#result.author")
	@Transactional
	public Article save(Article article) {
		this.shelf.put(article.id(), article);
		return article;
	}

	Map<String, Article> shelf() {
		return this.shelf;
	}

	/**
	 * An article.
	 *
	 * @param id which
	 * @param author whose
	 * @param name what it says
	 * @param revision the number of changes
	 */
	public record Article(String id, String author, String name, long revision) {

		boolean by(String name) {
			return this.author.equals(name);
		}

		Article renamed(String to) {
			return new Article(this.id, this.author, to, this.revision + 1);
		}

	}

}
