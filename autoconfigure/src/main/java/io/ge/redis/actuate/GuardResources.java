/*
 * Copyright 2026 the GE Redis authors
 * SPDX-License-Identifier: Apache-2.0
 */

package io.ge.redis.actuate;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.ge.redis.actuate.RateLimitResource.RuleReport;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.util.StringUtils;

/**
 * The resources of all patterns, by their names and by other spellings of those.
 */
public class GuardResources {

	private final Map<String, GuardResource> byName = new TreeMap<>();

	private final Map<String, GuardResource> byAlias = new TreeMap<>();

	private final Supplier<@Nullable PathMappedEndpoints> endpoints;

	/**
	 * Creates the collection.
	 * @param endpoints where endpoints are, if they are on the web
	 */
	public GuardResources(Collection<? extends GuardResource> resources,
			Supplier<@Nullable PathMappedEndpoints> endpoints) {
		resources.forEach((resource) -> {
			this.byName.put(resource.name(), resource);
			resource.aliases().forEach((alias) -> this.byAlias.put(alias, resource));
		});
		this.endpoints = endpoints;
	}

	GuardResource get(String name) {
		GuardResource resource = find(name);
		if (resource == null) {
			throw GuardRequestException.notFound("There is no '" + name + "' here.",
					"There is: " + String.join(", ", this.byName.keySet()) + ".");
		}
		return resource;
	}

	private @Nullable GuardResource find(String name) {
		GuardResource resource = this.byName.get(name);
		return (resource != null) ? resource : this.byAlias.get(name);
	}

	/**
	 * Returns the name of the resource of a pattern as it is named in events.
	 */
	String nameOf(String pattern) {
		GuardResource resource = find(pattern);
		return (resource != null) ? resource.name() : pattern;
	}

	List<RuleReport> rules() {
		return this.byName.values()
			.stream()
			.filter(RateLimitResource.class::isInstance)
			.flatMap((resource) -> ((RateLimitResource) resource).rules().stream())
			.toList();
	}

	/**
	 * Returns the addresses of the resources by name, relative to that of the endpoint.
	 */
	Map<String, String> links() {
		PathMappedEndpoints endpoints = this.endpoints.get();
		String path = (endpoints != null) ? endpoints.getPath(EndpointId.of(GeRedisEndpoint.ID)) : null;
		String last = StringUtils.unqualify((path != null) ? path : GeRedisEndpoint.ID, '/');
		Map<String, String> links = new TreeMap<>();
		this.byName.keySet().forEach((name) -> links.put(name, last + "/" + name));
		return links;
	}

}
