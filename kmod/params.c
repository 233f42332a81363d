// SPDX-License-Identifier: GPL-2.0-only
/*
 * Parameters of other modules: KVM exports none of the two that matter, or
 * only to itself.  They are taken from the objects behind /sys/module, not
 * from a file: what the caller has at that path may be nothing (a container),
 * or block for ever.
 */
#include <linux/gfp.h>
#include <linux/kernfs.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#include "params.h"

/* The object of @module, which may also be built in; kobject_put() it. */
static struct module_kobject *find_module_kobject(const char *module)
{
	struct kobject *kobj;

	/* Where all modules are, this one too. */
	kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, module);
	return kobj ? container_of(kobj, struct module_kobject, kobj) : NULL;
}

/* What the parameter's file would show: its first character, or 0. */
static char show_first(struct module_kobject *mk, struct kernfs_node *kn)
{
	struct module_attribute *ma;
	char *page, c = 0;

	page = (char *)get_zeroed_page(GFP_KERNEL);
	if (!page)
		return 0;
	ma = container_of((struct attribute *)kn->priv, struct module_attribute,
			  attr);
	if (ma->show && ma->show(ma, mk, page) > 0)
		c = *page;
	free_page((unsigned long)page);
	return c;
}

static char read_first(struct module_kobject *mk, const char *name)
{
	struct kernfs_node *dir, *kn;
	char c = 0;

	dir = kernfs_find_and_get(mk->kobj.sd, "parameters");
	if (!dir)
		return 0;
	kn = kernfs_find_and_get(dir, name);
	if (kn && kernfs_type(kn) == KERNFS_FILE)
		c = show_first(mk, kn);
	kernfs_put(kn);
	kernfs_put(dir);
	return c;
}

bool vmmprof_param_is(const char *module, const char *name, char value)
{
	struct module_kobject *mk = find_module_kobject(module);
	char c = 0;

	if (!mk)
		return false;
	/*
	 * One that goes takes its parameters along; one built in stays.  One whose
	 * init is not over may fail, and then goes in spite of the reference
	 * (do_init_module()).
	 */
	if (try_module_get(mk->mod)) {
		if (!mk->mod || READ_ONCE(mk->mod->state) == MODULE_STATE_LIVE)
			c = read_first(mk, name);
		module_put(mk->mod);
	}
	kobject_put(&mk->kobj);
	return c == value;
}

bool vmmprof_mediated_pmu(void)
{
	return vmmprof_param_is("kvm_intel", "enable_mediated_pmu", 'Y') ||
	       vmmprof_param_is("kvm_amd", "enable_mediated_pmu", 'Y');
}
