create table purchase (id varchar(20) primary key, paid int default 0, billed boolean default false);
create table invoice (purchase varchar(20));
create table account (id varchar(20) primary key, cents int);
create table customer (id varchar(20) primary key, name varchar(20));
