// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.cache.internal.engine;

import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;

import org.hibernate.collection.spi.PersistentBag;
import org.hibernate.collection.spi.PersistentMap;
import org.hibernate.proxy.HibernateProxy;
import org.hibernate.proxy.LazyInitializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.ParameterizedTypeReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LazyValues}.
 */
class LazyValuesTests {

	private final CacheCodec codec = new CacheCodec(JsonMapper::shared, () -> 16384, () -> 0);

	private void refuses(Type type, Object value, String place) {
		assertThatExceptionOfType(LazyValues.LazyValueException.class)
			.isThrownBy(() -> this.codec.type(type).write(value))
			.satisfies((refused) -> assertThat(refused.in("people").getMessage()).contains("cache 'people'")
				.contains(place)
				.contains("which Hibernate would load")
				.contains("Cache a record"));
	}

	@Test
	void proxyIsRefusedAsAValueAndWithinOne() {
		refuses(Person.class, new PersonProxy(), "it is a " + PersonProxy.class.getName());
		refuses(Pair.class, new Pair(new Person(), new PersonProxy()), "its 'other'");
		refuses(new ParameterizedTypeReference<List<Person>>() {
		}.getType(), List.of(new Person(), new PersonProxy()), "it is a");
		refuses(new ParameterizedTypeReference<Map<String, List<Person>>>() {
		}.getType(), Map.of("x", List.of(new PersonProxy())), "it is a");
		refuses(Crowd.class, new Crowd(List.of(new Person(), new PersonProxy())), "its 'all.[1]'");
	}

	@Test
	void collectionIsRefusedAsAValueAndWithinOne() {
		refuses(new ParameterizedTypeReference<List<String>>() {
		}.getType(), new PersistentBag<String>(), "it is a");
		Person person = new Person();
		person.friends = new PersistentBag<>();
		refuses(Person.class, person, "its 'friends'");
		refuses(Object[].class, new Object[] { new PersistentMap<String, String>() }, "it is a");
	}

	@Test
	void otherValuesPass() {
		Person person = new Person();
		person.friends = List.of(new Person());
		CacheType type = this.codec.type(Person.class);
		assertThat(type.read(type.write(person)).value()).isInstanceOfSatisfying(Person.class,
				(read) -> assertThat(read.friends).hasSize(1));
	}

	@Test
	void withoutHibernateTheMapperIsTheApplications() {
		LazyValues none = new LazyValues(new FilteredClassLoader("org.hibernate"));
		assertThat(none.refusedBy(JsonMapper.shared())).isSameAs(JsonMapper.shared());
		none.check(new PersonProxy());
	}

	static class Person {

		public String name = "";

		public List<Person> friends = List.of();

	}

	record Crowd(List<Person> all) {
	}

	record Pair(Person one, Person other) {
	}

	static class PersonProxy extends Person implements HibernateProxy {

		@Override
		public Object writeReplace() {
			return this;
		}

		@Override
		public @Nullable LazyInitializer getHibernateLazyInitializer() {
			return null;
		}

	}

}
