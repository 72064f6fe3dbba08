// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.actuate;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.ge.redis.core.endpoint.GuardRequestException;
import io.ge.redis.core.endpoint.GuardResource;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * The resources of all patterns, by their names and by other spellings of the names.
 */
class GuardResources {

	private final SingletonSupplier<Map<String, GuardResource>> byName;

	private final Supplier<@Nullable PathMappedEndpoints> endpoints;

	/**
	 * Creates the collection.
	 * @param resources asked for with the first request, as they make their patterns
	 * @param endpoints where endpoints are, if they are on the web
	 */
	GuardResources(Supplier<Stream<GuardResource>> resources, Supplier<@Nullable PathMappedEndpoints> endpoints) {
		this.byName = SingletonSupplier.of(() -> resources.get()
			.collect(Collectors.toMap(GuardResource::name, Function.identity(), (first, second) -> second,
					TreeMap::new)));
		this.endpoints = endpoints;
	}

	GuardResource get(String name) {
		GuardResource resource = find(name);
		if (resource == null) {
			throw GuardRequestException.unknown("There is no '" + name + "' here.", this.byName.obtain().keySet());
		}
		return resource;
	}

	private @Nullable GuardResource find(String name) {
		return this.byName.obtain().values().stream().filter((each) -> each.isNamed(name)).findFirst().orElse(null);
	}

	/**
	 * Returns the name of the resource of a pattern as it is named in events.
	 */
	String nameOf(String pattern) {
		GuardResource resource = find(pattern);
		return (resource != null) ? resource.name() : pattern;
	}

	List<GuardResource.PathRule> rules() {
		return this.byName.obtain().values().stream().flatMap((resource) -> resource.rules().stream()).toList();
	}

	/**
	 * Returns the addresses of the resources by name, relative to the endpoint.
	 */
	Map<String, String> links() {
		PathMappedEndpoints endpoints = this.endpoints.get();
		String path = (endpoints != null) ? endpoints.getPath(EndpointId.of(GeRedisEndpoint.ID)) : null;
		String last = StringUtils.unqualify((path != null) ? path : GeRedisEndpoint.ID, '/');
		Map<String, String> links = new TreeMap<>();
		this.byName.obtain().keySet().forEach((name) -> links.put(name, last + "/" + name));
		return links;
	}

}
